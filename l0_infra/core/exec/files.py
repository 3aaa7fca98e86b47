"""Move small files over a runner's own commands: works with sudo, and on hosts without an sftp server."""

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec.command import Command, OnOutput, Outcome

__all__ = ["Commanded"]

# The size is compared since an input cut short by a dying client must not be published.
_PUT = """\
umask 077
temporary=''
trap 'rm -f "$temporary"' EXIT
trap 'exit 1' TERM HUP INT
trap '' PIPE
temporary=$(mktemp "$1.XXXXXX") || exit
cat >"$temporary" || exit
[ "$(wc -c <"$temporary")" -eq "$3" ] || { echo "the content came cut short" >&2; exit 1; }
chmod "$2" "$temporary" && sync "$temporary" && mv -f "$temporary" "$1" && sync "${1%/*}/."
"""
_SLOWEST_BYTES_PER_S = 1_000_000


def put_command(content: bytes, path: str, *, mode: int, sudo: bool) -> Command:
    """Return the command that writes a file atomically: temporary beside it, mode, fsync, rename, fsync."""
    argv = ("sh", "-c", _PUT, "put", _with_directory(path), f"{mode:o}", str(len(content)))
    return Command(argv=argv, stdin=content, deadline_s=_transfer_s(len(content)), sudo=sudo)


def get_command(path: str, *, limit_bytes: int, sudo: bool) -> Command:
    """Return the command that prints a file, or enough of it to see that it is longer than the limit."""
    return Command(
        argv=("head", "-c", str(limit_bytes + 1), "--", path),
        deadline_s=_transfer_s(limit_bytes),
        output_limit_bytes=limit_bytes + 1,
        sudo=sudo,
    )


def _with_directory(path: str) -> str:
    return path if "/" in path else f"./{path}"


def _transfer_s(size_bytes: int) -> float:
    return 60 + size_bytes / _SLOWEST_BYTES_PER_S


class Commanded:
    """Files by commands, for a runner that has `run`."""

    @property
    def target(self) -> str:
        """The host's name, as messages show it."""
        raise NotImplementedError

    def run(self, command: Command, *, on_output: OnOutput | None = None) -> Outcome:
        """Run a command; see `Runner.run`."""
        raise NotImplementedError

    def put(self, content: bytes, path: str, *, mode: int = 0o644, sudo: bool = False) -> None:
        """Write a file atomically; see `Runner.put`."""
        outcome = self.run(put_command(content, path, mode=mode, sudo=sudo))
        if not outcome.ok:
            raise self._failed(path, outcome, expected="a directory that takes the file")

    def get(self, path: str, *, limit_bytes: int = 16 * 1024 * 1024, sudo: bool = False) -> bytes:
        """Read a file whole; see `Runner.get`."""
        outcome = self.run(get_command(path, limit_bytes=limit_bytes, sudo=sudo))
        if not outcome.ok:
            raise self._failed(path, outcome, expected="a file that can be read")
        if len(outcome.stdout_bytes) > limit_bytes:
            raise RemoteError(
                f"{self.target}:{path}",
                found=f"more than {limit_bytes} bytes",
                expected="a file within the limit",
            )
        return outcome.stdout_bytes

    def _failed(self, path: str, outcome: Outcome, *, expected: str) -> RemoteError:
        found = outcome.stderr.strip() or outcome.describe_end()
        return RemoteError(
            f"{self.target}:{path}", found=found, expected=expected, retry=outcome.ended_by == "deadline"
        )
