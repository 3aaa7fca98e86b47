"""What a job inherits of the shell it was submitted from, so that it runs there as it would have run at the prompt."""

import re
import resource
from collections.abc import Mapping
from pathlib import Path

import msgspec

__all__ = ["Shell", "capture_shell"]

LIMITS = {name: number for name, number in vars(resource).items() if name.startswith("RLIMIT_")}


class Shell(msgspec.Struct, frozen=True, kw_only=True):
    """Environment, file mode mask, and (soft, hard) limits by the kernel's number of the resource; -1 is no limit."""

    environment: dict[str, str]
    umask: int | None = None
    limits: dict[int, tuple[int, int]] = msgspec.field(default_factory=dict)


def capture_shell(environment: Mapping[str, str]) -> Shell:
    """Take this process's mask and limits with the given environment. Raises OSError without /proc."""
    mask = re.search(r"^Umask:\s*([0-7]+)", Path("/proc/self/status").read_text(), re.MULTILINE)
    return Shell(
        environment=dict(environment),
        umask=int(mask[1], 8) if mask else None,
        limits={number: resource.getrlimit(number) for number in LIMITS.values()},
    )
