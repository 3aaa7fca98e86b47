"""The process that runs one attempt of one job, outlives the agent and publishes exactly one outcome.

The agent starts it detached and never signals it afterwards:

    subprocess.Popen(shim_command(attempt_dir, claim_fd), start_new_session=True, pass_fds=(claim_fd,),
                     stdin=DEVNULL, stdout=log, stderr=log, cwd="/", close_fds=True)

where `log` is `shim.log` of the attempt, for the shim's own troubles. Everything under this package uses the
standard library only and avoids its slow parts (`pathlib`, `typing`, `dataclasses`): half of the time between
a launch and the job's first instruction is spent importing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

__all__ = [
    "EXIT_DONE",
    "EXIT_REFUSED",
    "EXIT_TRY_AGAIN",
    "engine_environment",
    "is_engine",
    "shim_command",
    "without_mark",
]

EXIT_DONE = 0
"""The outcome is in `exit.json`."""

EXIT_REFUSED = 3
"""The attempt is not this shim's: another one holds `lock`, has held it, or the agent wrote `void`."""

EXIT_TRY_AGAIN = 75
"""The attempt could not even be claimed (a full disk, a bad `launch.json`); nothing was started."""

_ENGINE = "OGAI_ENGINE"
_RUN = __file__.removesuffix("__init__.py") + "run.py"


def shim_command(attempt_dir: str | os.PathLike[str], claim_fd: int) -> tuple[str, ...]:
    """Return the argv that runs the attempt in `attempt_dir` (absolute); `claim_fd` is inherited or -1."""
    return (sys.executable, "-I", "-S", _RUN, os.fspath(attempt_dir), str(claim_fd))


def engine_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment an agent must be started with, lest a job in which that happens owns it.

    A job may submit another and thereby start an agent, which is then below the job's shim. The mark exempts
    that agent and all below it, the shims it starts with it, from the job's limits and its end.
    """
    return {**environment, _ENGINE: "1"}


def without_mark(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment fit for a job, which must never pass for the engine."""
    return {name: value for name, value in environment.items() if name != _ENGINE}


def is_engine(environ: bytes) -> bool:
    """Tell from `/proc/PID/environ` whether a process belongs to the engine and not to a job."""
    return f"\0{_ENGINE}=".encode() in b"\0" + environ
