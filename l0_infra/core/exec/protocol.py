"""The words between a client and the supervisor of its command: how a run is asked for, how it is told.

Both output streams carry `ID{` + newline, what the command wrote, `ID}STATUS` + newline, and possibly more
of what the command left running in the background. Before the first mark stand a login shell's noise and
sudo's complaints.
"""

import shlex
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from l0_infra.core.exec.command import Command, reveal

__all__ = ["Unframer", "bootstrap_argv", "render_request"]

# Reads the supervisor line by line up to the id: nothing secret and nothing long is in the argv that `ps`
# shows, and not a byte of what follows is swallowed. One line without quotes of its own, so that any login
# shell passes it on.
_BOOTSTRAP = (
    'printf "%s{\\n" "$1"; printf "%s{\\n" "$1" >&2; og_nl=${IFS#??}; og_code=; '
    'while IFS= read -r og_line && [ "$og_line" != "$1" ]; do og_code=$og_code$og_line$og_nl; done; '
    'eval "$og_code"'
)
_NOISE_BYTES = 65536
_BACKSTOP_S = 2  # the host's own clock ends a command this long after a client that is alive would have


def bootstrap_argv(run_id: str) -> tuple[str, ...]:
    """Return the argv that starts a supervisor on a host with /bin/sh."""
    return ("sh", "-c", _BOOTSTRAP, "sh", run_id)


@cache
def _supervisor() -> str:
    """Return the supervisor without comments and indentation: some shells read their input byte by byte."""
    text = files(__package__).joinpath("supervisor.sh").read_text("utf-8")
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("#")) + "\n"


def render_request(command: Command, run_id: str) -> bytes:
    """Write what the supervisor reads before the command's input; secrets are in it."""
    limit = "none" if command.deadline_s is None else str(int(command.deadline_s) + _BACKSTOP_S)
    lines = [
        _supervisor(),
        run_id,
        f"{len(command.stdin or b'')} {limit}",
        *(["unset LC_ALL"] if command.sudo else []),
        *([f"cd -- {shlex.quote(command.cwd)} || exit 126"] if command.cwd else []),
        *(f"export {name}={shlex.quote(reveal(value))}" for name, value in command.env.items()),
        f"set -- {shlex.join(command.argv)}",
        run_id,
    ]
    return "\n".join(lines).encode(errors="surrogateescape") + b"\n"


@dataclass(slots=True)
class Unframer:
    """Cuts one stream at its marks, however chunked: `noise` comes before, `status` is known after."""

    run_id: str
    begun: bool = False
    status: int | None = None
    noise: bytes = b""
    _held: bytes = b""

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes of the stream and return those that the command wrote."""
        if self.status is not None:
            return b""
        self._held += data
        if not self.begun and not self._begin():
            return b""
        return self._inside()

    def _begin(self) -> bool:
        before, mark, after = self._held.partition(f"{self.run_id}{{\n".encode())
        if not mark:
            self._held = self._held[-_NOISE_BYTES:]
            self.noise = self._held
            return False
        self.begun, self.noise, self._held = True, before, after
        return True

    def _inside(self) -> bytes:
        mark = f"{self.run_id}}}".encode()
        text, found, after = self._held.partition(mark)
        if found and b"\n" in after:
            self.status, self._held = int(after.partition(b"\n")[0]), b""
            return text
        keep = len(found + after) if found else _overlap(text, mark)
        cut = len(self._held) - keep
        text, self._held = self._held[:cut], self._held[cut:]
        return text


def _overlap(text: bytes, mark: bytes) -> int:
    """Return how many last bytes of `text` may be the beginning of `mark`."""
    return next((n for n in range(min(len(text), len(mark) - 1), 0, -1) if text.endswith(mark[:n])), 0)
