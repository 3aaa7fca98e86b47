"""What the benchmarks share: how much memory a command and everything it starts hold at once."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Held", "run_watched"]

SAMPLE_S = 0.05
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, kw_only=True)
class Held:
    """The greatest sum of resident memory over all processes at one moment, and how long it took."""

    peak_bytes: int
    seconds: float


def run_watched(command: Sequence[str], environment: Mapping[str, str]) -> Held:
    """Run a command to its end and sample its processes; pages that several share count for each of them.

    Raises subprocess.CalledProcessError when it fails.
    """
    began, peak = time.monotonic(), 0
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, sum(map(resident_bytes, family(process.pid))))
            time.sleep(SAMPLE_S)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Held(peak_bytes=peak, seconds=time.monotonic() - began)


def family(pid: int) -> list[int]:
    """List a process and all that come from it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        threads = [int(entry.name) for entry in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []
    for thread in threads:
        if thread != pid:
            children += read(Path(f"/proc/{pid}/task/{thread}/children")).split()
    return [pid, *(one for child in dict.fromkeys(children) for one in family(int(child)))]


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process; zero once it has gone."""
    fields = read(Path(f"/proc/{pid}/statm")).split()
    return int(fields[1]) * PAGE_BYTES if fields else 0


def read(path: Path) -> str:
    """Read a file of /proc that may be gone."""
    try:
        return path.read_text()
    except OSError:
        return ""
