"""Whether a process works, waits or is stopped, as the kernel sees its main thread."""

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ThreadState", "probe_thread"]

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True, slots=True)
class ThreadState:
    """The state of a thread and the CPU time that it has used, both as in proc(5)."""

    state: str
    """`R` runs or waits for a CPU, `S` sleeps, `D` waits for storage, `T` is stopped by a signal, `t` is held by a
    debugger, `Z` has ended."""
    cpu_s: float
    """User and system time, in steps of 10 ms on most machines."""


def probe_thread(pid: int) -> ThreadState | None:
    """Look at the main thread of a process of this node; None when there is none any more."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return parse_stat(text)


def parse_stat(text: str) -> ThreadState:
    """Read a line of /proc/PID/task/TID/stat; the name in it may hold blanks and brackets."""
    fields = text.rpartition(")")[2].split()
    return ThreadState(state=fields[0], cpu_s=(int(fields[11]) + int(fields[12])) / TICKS_PER_S)
