"""Task-spooler (Debian package `task-spooler`), the queue that people of one machine use today, as a contender."""

import os
import shutil
import subprocess
from pathlib import Path

__all__ = ["Spooler"]


class Spooler:
    """A task-spooler server of our own; `installed` tells whether there is one to measure."""

    def __init__(self, folder: Path, slots: int) -> None:
        self.program = shutil.which("tsp") or "tsp"
        self.environment = {
            **os.environ,
            "TS_SOCKET": str(folder / "tsp"),
            "TMPDIR": str(folder),
            "TS_MAXCONN": "4000",
        }
        self.slots = slots

    @property
    def installed(self) -> bool:
        return Path(self.program).exists()

    def start(self) -> None:
        """Start the server."""
        self.run("-S", str(self.slots))

    def run(self, *words: str) -> str:
        """Run the client once."""
        return subprocess.run(
            [self.program, *words], env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def repeat(self, count: int, *words: str) -> None:
        """Run the client many times from one shell, as a person's loop would."""
        loop = f'i=0; while [ $i -lt {count} ]; do "$@" >/dev/null; i=$((i+1)); done'
        subprocess.run(["sh", "-c", loop, "sh", self.program, *words], env=self.environment, check=True)

    def block(self) -> None:
        """Take every slot with a job that does not end."""
        for _ in range(self.slots):
            self.run("-n", "sleep", "900")

    def stop(self) -> None:
        """End what takes the slots, then the server with all that waits."""
        for line in self.run("-l").splitlines():
            if " running " in line:
                self.run("-k", line.split()[0])
        self.run("-K")
