"""Real shims on real attempts: lay out an attempt, start its shim, wait for what it does."""

import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from l2_scheduler.local.processes import end_leftovers
from l2_scheduler.local.shim import shim_command


class Attempt:
    """One attempt directory and the shim that runs it."""

    def __init__(self, home: Path, fields: dict[str, object]) -> None:
        self.directory = home / "jobs" / "12_3" / "1"
        self.directory.mkdir(parents=True)
        self.token = secrets.token_hex(8)
        self.environment_file = home / "12.json"
        self.environment_file.write_text(
            json.dumps({"environment": {"PATH": os.environ["PATH"], "API_KEY": "hush-hush"}})
        )
        self.launch: dict[str, object] = {
            "job_id": "12_3",
            "attempt": 1,
            "token": self.token,
            "command": ["true"],
            "directory": str(home),
            "tasks": 1,
            "environment_file": str(self.environment_file),
            "environment": {},
            "time_limit_s": None,
            "warn_signal": None,
            "warn_before_s": 60.0,
            "grace_s": 5.0,
            "memory_limit_bytes": None,
            "rotate_bytes": 1 << 26,
            "keep_logs": 3,
            "events": str(home / "jobs" / "12_3" / "events.jsonl"),
            "bell": str(home / "bell"),
        } | fields
        (self.directory / "launch.json").write_text(json.dumps(self.launch))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, claim_fd: int = -1, *, through: str = 'exec "$@"') -> subprocess.Popen[bytes]:
        """Start the shim as an agent does, by way of a line of shell that may change what it inherits."""
        with (self.directory / "shim.log").open("ab") as log:
            self.process = subprocess.Popen(
                ("sh", "-c", through, "sh", *shim_command(self.directory, claim_fd)),
                start_new_session=True,
                pass_fds=() if claim_fd < 0 else (claim_fd,),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
            )
        return self.process

    def wait(self) -> int:
        assert self.process is not None
        return self.process.wait(20)

    def outcome(self) -> dict[str, object]:
        code = self.wait()
        assert code == 0, (self.directory / "shim.log").read_text()
        found: dict[str, object] = json.loads((self.directory / "exit.json").read_text())
        return found

    def run(self) -> dict[str, object]:
        self.start()
        return self.outcome()

    def log(self, rank: int = 0) -> str:
        try:
            return (self.directory / f"task-{rank}.log").read_text()
        except FileNotFoundError:  # not begun, or being rotated
            return ""

    def events(self) -> list[dict[str, object]]:
        path = Path(str(self.launch["events"]))
        return [json.loads(line) for line in path.read_text().splitlines()]

    def say(self, line: str) -> None:
        control = os.open(self.directory / "control", os.O_WRONLY | os.O_NONBLOCK)
        os.write(control, line.encode() + b"\n")
        os.close(control)

    def until_log(self, text: str, rank: int = 0) -> str:
        until(lambda: text in self.log(rank))
        return self.log(rank)


def until(condition: Callable[[], bool]) -> None:
    """Wait for something real to happen; far longer than it should take, as the machine may be busy."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


@pytest.fixture(name="until")
def until_fixture() -> Callable[[Callable[[], bool]], None]:
    return until


Workshop = Callable[..., Attempt]


@pytest.fixture
def attempt(tmp_path: Path) -> Iterator[Workshop]:
    """Make an attempt in a home of its own, or in `home`. Whatever is left at the end is ended."""
    made: list[Attempt] = []

    def make(*command: str, home: Path | None = None, **fields: object) -> Attempt:
        place = home or tmp_path / f"home{len(made)}"
        made.append(Attempt(place, {"command": command or ("true",), **fields}))
        return made[-1]

    yield make
    for each in made:
        if each.process and each.process.poll() is None:
            each.process.send_signal(signal.SIGKILL)
            each.process.wait()
        end_leftovers(each.directory, each.token, 0.0)
