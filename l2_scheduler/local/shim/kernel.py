"""What a shim asks of the kernel for itself and its tasks: to inherit orphans, die together, more files."""

from __future__ import annotations

import ctypes
import resource
import signal

from l2_scheduler.local.shim.proc import read_small

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_OOM_SCORE = 200

_libc = ctypes.CDLL(None, use_errno=True)


def become_subreaper() -> None:
    """Have every orphan among the descendants handed to this process, and nobody lost."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Have this process killed when its parent ends; survives exec. Raises OSError."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def allow_all_files() -> tuple[int, int]:
    """Let this process have all files open that it may, there being three a task; return the old limits."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    return limits


def raise_oom_score(pid: int) -> None:
    """Have the kernel, when memory runs out, choose this process before the one that calls."""
    score = int(read_small("/proc/self/oom_score_adj") or 0) + _OOM_SCORE
    try:
        with open(f"/proc/{pid}/oom_score_adj", "w") as file:
            file.write(str(min(1000, score)))
    except OSError:  # a sandbox that hides it
        return


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
