"""The agent as others see it: woken, started by whoever finds none, replaced when a newer version comes, stopped."""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from l0_infra.core.errors import EngineError
from l0_infra.core.store import load_file
from l2_scheduler.local.bell import ring
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.locks import exclusive
from l2_scheduler.local.processes import Identity, is_alive

__all__ = [
    "TAKE_OVER_S",
    "AgentGuard",
    "AgentIdentity",
    "SpawnAgent",
    "agent_identity",
    "stop_agent",
    "wake_agent",
]

SpawnAgent = Callable[[int], None]
"""Start an agent process that inherits this descriptor and closes it once it listens."""

TAKE_OVER_S = 30.0


class AgentIdentity(Identity, frozen=True, kw_only=True):
    """Which process is the agent, from `agent.json`."""

    version: str
    started_at: float


def wake_agent(layout: Layout, version: str, spawn: SpawnAgent) -> None:
    """Make the agent look: ring its bell, replace it if it is of another version, start one if there is none.

    An agent that cannot be started now (a full disk) undoes no wish: the next command tries again, and whoever waits
    for a job is told.
    """
    with contextlib.suppress(OSError):
        wake(layout, version, spawn)


def wake(layout: Layout, version: str, spawn: SpawnAgent) -> None:
    if ring(layout.bell):
        identity = agent_identity(layout)
        if identity is None or identity.version == version:
            return
        ring(layout.bell, "quit")
    with exclusive(layout.root / "agent.spawn") as descriptor:
        if descriptor is not None:
            spawn(descriptor)


class AgentGuard:
    """Sees to it that an agent lives while somebody waits for its work."""

    LOOK_EVERY_S = 2.0
    MOST_STARTS = 3

    def __init__(self, layout: Layout, wake: Callable[[], None]) -> None:
        self.layout = layout
        self.wake = wake
        self.next_look = float("-inf")
        self.starts = 0

    def look(self, now: float) -> None:
        """Every two seconds start an agent if none lives; raise EngineError when that did not help three times."""
        if now < self.next_look:
            return
        self.next_look = now + self.LOOK_EVERY_S
        if ring(self.layout.bell):
            self.starts = 0
            return
        if self.starts == self.MOST_STARTS:
            raise EngineError(
                "agent",
                found=last_line(self.layout.agent_log),
                expected="a running agent",
                hint=f"all its words are in {self.layout.agent_log}; nothing queued was lost",
            )
        self.starts += 1
        self.wake()


def last_line(log: Path) -> str:
    with contextlib.suppress(OSError):
        lines = load_file(log).decode(errors="replace").splitlines()
        return lines[-1] if lines else "no word from it"
    return "no log of it"


def agent_identity(layout: Layout) -> AgentIdentity | None:
    """Read which agent lives; None when none does."""
    try:
        identity = msgspec.json.decode(load_file(layout.agent_identity), type=AgentIdentity)
    except (OSError, msgspec.DecodeError):
        return None
    return identity if is_alive(identity) else None


def stop_agent(layout: Layout, timeout_s: float = TAKE_OVER_S) -> bool:
    """Ask the agent to leave and wait until it has; running jobs go on. Return False if none was there."""
    with exclusive(layout.root / "agent.spawn", timeout_s):  # one that is just starting does not listen yet
        identity = agent_identity(layout)
        if not ring(layout.bell, "quit") and identity is None:
            return False
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        identity = identity or agent_identity(layout)
        if has_left(layout, identity):
            return True
        time.sleep(0.02)
    raise EngineError(
        "agent",
        found=f"still at work after {timeout_s:.0f} s",
        expected="it to leave",
        hint=f"its words are in {layout.agent_log}",
        retry=True,
    )


def has_left(layout: Layout, identity: AgentIdentity | None) -> bool:
    """Tell whether that agent is gone; one that has not said yet who it is shows by the lock it holds."""
    if identity is not None:
        return not is_alive(identity)
    with exclusive(layout.agent_lock) as free:
        return free is not None
