"""Becomes the trainer of the user: says at every start where the ranks meet and what to resume from.

Runs as a file with `python -I -S` and the standard library only, so that it costs milliseconds.
"""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["AT_START", "newest_checkpoint", "start_variables"]

AT_START = (
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "NODE_RANK",
    "MASTER_ADDR",
    "MASTER_PORT",
    "OGAI_RESUME_DIR",
)
"""Variables that are known at a start only."""

FILLED_IN = (
    *AT_START,
    "LOCAL_WORLD_SIZE",
    "OGAI_EVENTS",
    "OGAI_JOB_DIR",
    "OGAI_METRICS",
    "OGAI_RUN_DIR",
    "OGAI_RUN_ID",
    "OGAI_TENSORBOARD_DIR",
)
"""What `{NAME}` in the command stands for; none of them is a secret."""

STARTS = "starts.jsonl"
"""One line for each start of the run, written by rank 0, so that all ranks are told the same."""

PORTS = range(20000, 32000)
"""Below those that a kernel hands out by itself, which could be taken before the trainer listens."""

PATIENCE_S = 60.0
_CANNOT_RUN = 126
_NO_SUCH_PROGRAM = 127


def main(argv: list[str]) -> int:
    """Become `argv` with the variables of this start, `{NAME}` of them filled in; returns only when that fails."""
    environment = dict(os.environ)
    try:
        environment.update(start_variables(environment))
        program = [fill_in(word, environment) for word in argv]
        os.execvpe(program[0], program, environment)
    except OSError as error:
        print(f"{argv[0]} cannot be started: {error}", file=sys.stderr)
        return _NO_SUCH_PROGRAM if isinstance(error, FileNotFoundError) else _CANNOT_RUN


def start_variables(given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of this start; of all ranks, 0 decides and the others wait until it has."""
    rank, local = int(given["OGAI_RANK"]), int(given["OGAI_LOCAL_RANK"])
    key = f"{given['OGAI_JOB_ID']}.{given['OGAI_ATTEMPT']}.{given['OGAI_TOKEN']}"
    file = os.path.join(given["OGAI_RUN_DIR"], STARTS)
    start = begin(file, key, given) if rank == 0 else wait_for(file, key)
    return {
        "RANK": str(rank),
        "WORLD_SIZE": given["OGAI_WORLD_SIZE"],
        "LOCAL_RANK": str(local),
        "NODE_RANK": str(rank // int(given["LOCAL_WORLD_SIZE"])),
        "MASTER_ADDR": str(start["master_addr"]),
        "MASTER_PORT": str(start["master_port"]),
        "OGAI_RESUME_DIR": str(start["resume_dir"]),
    }


def begin(file: str, key: str, given: Mapping[str, str]) -> dict[str, object]:
    """Decide where the ranks meet and what they resume from, and write it down for the others."""
    heard = [str(start["events"]) for start in read_lines(file) if "events" in start]
    events = list(dict.fromkeys([*heard, given["OGAI_EVENTS"]]))
    start: dict[str, object] = {
        "at": time.time(),
        "start": key,
        "events": given["OGAI_EVENTS"],
        "master_addr": meeting_host(given),
        "master_port": free_port(),
        "resume_dir": newest_checkpoint(given["OGAI_RUN_DIR"], events),
    }
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, f"\n{json.dumps(start)}\n".encode())  # the line before may have been cut off
    finally:
        os.close(descriptor)
    return start


def wait_for(file: str, key: str) -> dict[str, object]:
    """Return what rank 0 decided; raises TimeoutError when it does not."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for start in read_lines(file):
            if start.get("start") == key:
                return start
        time.sleep(0.01)
    raise TimeoutError(f"rank 0 did not start within {PATIENCE_S:.0f} seconds")


def meeting_host(given: Mapping[str, str]) -> str:
    """Return this host as the others reach it: on one node by itself."""
    alone = given["OGAI_WORLD_SIZE"] == given["LOCAL_WORLD_SIZE"]
    return "127.0.0.1" if alone else socket.gethostname()


def free_port() -> int:
    """Return a port that nobody listens on; raises OSError when all are taken."""
    first = int.from_bytes(os.urandom(4), "big")
    for offset in range(len(PORTS)):
        port = PORTS[(first + offset) % len(PORTS)]
        with socket.socket() as attempt:
            if _binds(attempt, port):
                return port
    raise OSError(errno.EADDRINUSE, "no free port")


def newest_checkpoint(run_dir: str, events: list[str]) -> str:
    """Return the newest checkpoint that is there: the last announced, else the highest in `checkpoints`; "" for none.

    Announced is what a line `{"event": "saved", "directory": …}` of the event files names, relative to the run's.
    """
    for line in reversed([line for file in events for line in read_lines(file)]):
        directory = line.get("directory")
        if line.get("event") == "saved" and isinstance(directory, str):
            path = os.path.join(run_dir, directory)
            if os.path.exists(path):
                return path
    return max(_complete(os.path.join(run_dir, "checkpoints")), key=_age, default="")


def read_lines(file: str) -> Iterator[dict[str, object]]:
    """Yield the JSON objects of a file, line by line, and nothing of lines that are none or of a missing file."""
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            content = lines.read()
    except OSError:
        return
    for line in content.split("\n"):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def fill_in(word: str, environment: Mapping[str, str]) -> str:
    """Replace `{OGAI_RUN_DIR}` and the like; other braces stay."""
    return re.sub(
        r"\{([A-Z_]+)\}", lambda match: environment[match[1]] if match[1] in FILLED_IN else match[0], word
    )


def _binds(attempt: socket.socket, port: int) -> bool:
    try:
        attempt.bind(("", port))
    except OSError:
        return False
    return True


def _complete(folder: str) -> list[str]:
    """List the checkpoints of a folder that are not being written: no hidden, `.partial` or `.tmp` ones, none empty."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    paths = [
        os.path.join(folder, name)
        for name in names
        if not name.startswith(".") and not name.endswith((".partial", ".tmp"))
    ]
    return [path for path in paths if os.path.isdir(path) and os.listdir(path)]


def _age(path: str) -> tuple[int, float]:
    """Order checkpoints by the last number in their names, then by time."""
    numbers = re.findall("[0-9]+", os.path.basename(path))
    return int(numbers[-1]) if numbers else -1, os.path.getmtime(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
