"""What the agent says to a living shim: lines `end STATE reason…` or `kill STATE reason…` in `control`."""

from __future__ import annotations

import os

_LONGEST_LINE = 4096
_STATES = frozenset({"CANCELLED", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT"})


class Order:
    """End the job in `state` because of `reason`; `at_once` spares the grace."""

    def __init__(self, state: str, reason: str, at_once: bool) -> None:
        """Take the three parts of a line."""
        self.state = state
        self.reason = reason
        self.at_once = at_once


def parse_order(line: str) -> Order | None:
    """Read one line; None for anything that is no order."""
    verb, _, rest = line.strip().partition(" ")
    state, _, reason = rest.partition(" ")
    if verb not in ("end", "kill") or state not in _STATES:
        return None
    return Order(state, reason.strip(), verb == "kill")


class Control:
    """The reading side of the FIFO."""

    def __init__(self, fd: int) -> None:
        """Take the non-blocking descriptor."""
        self.fd = fd
        self._rest = b""

    def orders(self) -> list[Order]:
        """Return the orders that have arrived whole."""
        try:
            self._rest += os.read(self.fd, _LONGEST_LINE)
        except BlockingIOError:
            return []
        *lines, rest = self._rest.split(b"\n")
        self._rest = rest[:_LONGEST_LINE]
        found = (parse_order(line.decode(errors="replace")) for line in lines)
        return [order for order in found if order]
