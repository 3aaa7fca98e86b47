"""How the directories of checkpoints are named, so that a name says how far its content came."""

import re
from dataclasses import dataclass

__all__ = ["CHECKPOINTS", "MANIFEST", "Name", "directory_name", "parse_name"]

CHECKPOINTS = "checkpoints"
"""Folder of a run's directory in which they lie."""

MANIFEST = "manifest.json"
"""File of the `checkpoint` document, written last."""

PATTERN = re.compile(r"(step-([0-9]{8,18}))(?:\.(partial|removing|damaged-[0-9]{1,9}))?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    """A directory's name, read: its step, and `partial`, `removing` or `damaged-<number>` when it does not count."""

    step: int
    condition: str = ""


def directory_name(step: int, condition: str = "") -> str:
    """Name the checkpoint of a step: `step-00000050`, `step-00000050.partial`."""
    return f"step-{step:08}.{condition}" if condition else f"step-{step:08}"


def parse_name(name: str) -> Name | None:
    """Read a directory's name; None for one that is no checkpoint's."""
    match = PATTERN.fullmatch(name)
    if match is None or match[1] != directory_name(int(match[2])):
        return None
    return Name(step=int(match[2]), condition=match[3] or "")
