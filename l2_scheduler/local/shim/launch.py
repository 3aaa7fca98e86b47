"""What the agent asks of a shim (`launch.json`), and the environment that each task gets from it."""

from __future__ import annotations

import json
import os

from l2_scheduler.local.shim import without_mark


class Launch:
    """`launch.json`, the whole contract. Sizes are in bytes, durations in seconds, paths absolute."""

    job_id: str
    attempt: int
    token: str
    command: list[str]
    directory: str
    tasks: int
    environment_file: str
    environment: dict[str, str]
    time_limit_s: float | None
    warn_signal: str | None
    warn_before_s: float
    grace_s: float
    memory_limit_bytes: int | None
    rotate_bytes: int
    keep_logs: int
    events: str
    bell: str

    def __init__(self, fields: dict[str, object]) -> None:
        """Take every field; a missing one is a KeyError."""
        for name in type(self).__annotations__:
            setattr(self, name, fields[name])


def read_launch() -> Launch:
    """Read `launch.json` of the working directory; raises OSError, ValueError or KeyError."""
    with open("launch.json", encoding="utf-8") as file:
        return Launch(json.load(file))


class Shell:
    """What the job inherits of the shell it came from: environment, file mode mask, limits by resource number."""

    def __init__(
        self, environment: dict[str, str], umask: int | None, limits: dict[int, tuple[int, int]]
    ) -> None:
        """Take what was captured; None and an empty dict leave things as they are."""
        self.environment = environment
        self.umask = umask
        self.limits = limits


def read_shell(launch: Launch) -> Shell:
    """Read what was captured at submission, the computed environment laid over it; raises OSError or ValueError."""
    with open(launch.environment_file, encoding="utf-8") as file:
        captured = json.load(file)
    environment = without_mark({"PYTHONUNBUFFERED": "1", **captured["environment"], **launch.environment})
    limits = {int(number): (soft, hard) for number, (soft, hard) in captured.get("limits", {}).items()}
    return Shell(environment, captured.get("umask"), limits)


def task_environment(launch: Launch, base: dict[str, str], rank: int, attempt_dir: str) -> dict[str, str]:
    """Return what task `rank` sees; `OGAI_TOKEN` marks it and its descendants as this attempt's."""
    return {
        **base,
        "PWD": launch.directory,
        "OGAI_JOB_ID": launch.job_id,
        "OGAI_ATTEMPT": str(launch.attempt),
        "OGAI_RANK": str(rank),
        "OGAI_LOCAL_RANK": str(rank),
        "OGAI_WORLD_SIZE": str(launch.tasks),
        "OGAI_EVENTS": launch.events,
        "OGAI_JOB_DIR": os.path.dirname(attempt_dir),
        "OGAI_TOKEN": launch.token,
    }


def warn_after_s(launch: Launch) -> float | None:
    """Return when the warning is due, in seconds from the start; None for no warning.

    Half of the limit when it should come before the start: there it would find no handler and kill the task.
    """
    if launch.time_limit_s is None or launch.warn_signal is None:
        return None
    after = launch.time_limit_s - launch.warn_before_s
    return after if after > 0 else launch.time_limit_s / 2
