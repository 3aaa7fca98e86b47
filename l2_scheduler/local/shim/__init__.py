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

__all__ = ["EXIT_DONE", "EXIT_REFUSED", "EXIT_TRY_AGAIN", "shim_command"]

EXIT_DONE = 0
"""The outcome is in `exit.json`."""

EXIT_REFUSED = 3
"""The attempt is not this shim's: another one holds `lock`, has held it, or the agent wrote `void`."""

EXIT_TRY_AGAIN = 75
"""The attempt could not even be claimed (a full disk, a bad `launch.json`); nothing was started."""

_RUN = __file__.removesuffix("__init__.py") + "run.py"


def shim_command(attempt_dir: str | os.PathLike[str], claim_fd: int) -> tuple[str, ...]:
    """Return the argv that runs the attempt in `attempt_dir` (absolute); `claim_fd` is inherited or -1."""
    return (sys.executable, "-I", "-S", _RUN, os.fspath(attempt_dir), str(claim_fd))
