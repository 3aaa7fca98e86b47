"""What every job of the engine proof runs: it bears witness outside the engine's folder, then behaves or misbehaves.

Usage: actor.py KIND ARGUMENT. Standard library only, so that it starts fast and as any user.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable

WITNESS = os.environ["PROVE_WITNESS"]
SLOTS = os.environ["PROVE_SLOTS"]
MACHINE_CPUS = int(os.environ["PROVE_MACHINE_CPUS"])
MARK = os.environ["PROVE_MARK"]
ATTEMPT = int(os.environ["OGAI_ATTEMPT"])
RANK = int(os.environ["OGAI_RANK"])
MIB = 2**20


def append(path: str, line: str) -> None:
    """Add a line to a file of all users, in one write."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    os.write(descriptor, line.encode() + b"\n")
    os.close(descriptor)


def witness(event: str) -> None:
    job = os.environ["OGAI_JOB_ID"]
    append(WITNESS, f"{event} {job} {ATTEMPT} {RANK} {time.monotonic():.3f}")


def take_slots() -> int:
    """Count the CPUs that living jobs of all queues hold, add ours, and cry out if that is more than there are."""
    cpus = int(os.environ["PROVE_CPUS"])
    lock = os.open(f"{SLOTS}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    fcntl.flock(lock, fcntl.LOCK_EX)
    held = cpus + sum(living(entry.path) for entry in os.scandir(SLOTS) if entry.name.endswith(".slot"))
    path = f"{SLOTS}/{os.getpid()}-{time.monotonic_ns()}-{cpus}.slot"
    mine = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    fcntl.flock(mine, fcntl.LOCK_EX)
    append(f"{SLOTS}/log", f"{held} of {MACHINE_CPUS}")
    if held > MACHINE_CPUS:
        append(
            f"{SLOTS}/oversold",
            f"{held} of {MACHINE_CPUS} CPUs held when job {os.environ['OGAI_JOB_ID']} started",
        )
    os.close(lock)
    return mine


def living(path: str) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return int(path.removesuffix(".slot").rpartition("-")[2])
    finally:
        os.close(descriptor)
    return 0


def sleep(argument: str) -> int:
    time.sleep(float(argument))
    return 0


def fail(argument: str) -> int:
    return int(argument)


def flaky(argument: str) -> int:
    """Fail until the attempt with this number."""
    return 0 if int(argument) <= ATTEMPT else 1


def stubborn(argument: str) -> int:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return sleep(argument)


def hungry(argument: str) -> int:
    """Take this many MiB, a little at a time, then rest."""
    kept = [bytearray(b"x" * MIB) for _ in range(int(argument))]
    time.sleep(5)
    return len(kept) and 0


def lines(argument: str) -> int:
    """Print this many numbered lines, each with its checksum, in bursts."""
    for number in range(int(argument)):
        text = f"{number} {MARK} rank {RANK}"
        print(f"{text} {zlib.crc32(text.encode()):08x}")
        if number % 512 == 511:
            sys.stdout.flush()
            time.sleep(0.002)
    sys.stdout.flush()
    return 0


def ghosts(argument: str) -> int:
    """Leave children that hide: own sessions, an emptied environment, deaf to SIGTERM; found only by their argv."""
    nap = f"86400.{MARK}"
    hide = ["setsid", "env", "-i", "/bin/sleep", nap]
    deaf = ["setsid", "sh", "-c", f"trap '' TERM; sleep {nap}; :"]
    for command in (hide, deaf, ["setsid", "sleep", nap]):
        subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False)
    return sleep(argument)


def overrun(argument: str) -> int:
    """Never end; note the warning that comes before the time limit."""
    signal.signal(signal.SIGUSR1, lambda _number, _frame: witness("warned"))
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        time.sleep(3600)


def secret(argument: str) -> int:
    """Succeed if the secret arrived whole: its checksum is no secret."""
    return 0 if f"{zlib.crc32(os.environ['PROVE_SECRET'].encode()):08x}" == argument else 9


KINDS: dict[str, Callable[[str], int]] = {
    behaviour.__name__: behaviour
    for behaviour in (sleep, fail, flaky, stubborn, hungry, lines, ghosts, overrun, secret)
}


def main(kind: str, argument: str) -> int:
    os.umask(0)
    held = take_slots() if RANK == 0 else -1
    witness("start")
    code = KINDS[kind](argument)
    witness("end")
    if held >= 0:
        os.close(held)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
