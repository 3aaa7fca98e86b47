"""What labs there are, on disk."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from l0_infra.core.errors import EngineError, UsageError
from l0_infra.core.exec import Runner
from l0_infra.core.store import load_file, save_file
from l1_podsys.lab.cgroups import Groups, parse_groups
from l1_podsys.lab.documents import Lab
from l1_podsys.lab.layout import Layout

__all__ = ["LabPlace", "lab_names", "load_lab", "load_labs", "save_lab"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LabPlace:
    """Where labs and their images are kept, and through what this machine is steered."""

    home: Path
    cache: Path
    runner: Runner

    @property
    def groups(self) -> Groups:
        """This machine's control groups."""
        return parse_groups(Path("/proc/self/mountinfo").read_text())

    def layout(self, name: str) -> Layout:
        """The files of a lab."""
        return Layout.of(self.home, name)


def save_lab(layout: Layout, lab: Lab) -> None:
    """Write down what a lab consists of."""
    save_file(layout.state, msgspec.json.format(msgspec.json.encode(lab), indent=2))


def load_lab(home: Path, name: str) -> Lab:
    """Read a lab. Raises UsageError when there is none of that name, EngineError when its file cannot be read."""
    file = Layout.of(home, name).state
    try:
        return msgspec.json.decode(load_file(file), type=Lab)
    except FileNotFoundError:
        raise _unknown(home, name) from None
    except msgspec.MsgspecError as error:
        raise EngineError(
            str(file),
            found=str(error),
            expected="a lab that this version of ogai wrote",
            hint="take it down with the version that made it",
        ) from None


def load_labs(home: Path) -> tuple[Lab, ...]:
    """Read every lab of a home."""
    return tuple(load_lab(home, name) for name in lab_names(home) if Layout.of(home, name).state.exists())


def lab_names(home: Path) -> tuple[str, ...]:
    """Name every lab, also one of which a killed `up` left no more than a folder."""
    return tuple(sorted(_folders(home / "labs")))


def _folders(folder: Path) -> Iterator[str]:
    if folder.is_dir():
        with os.scandir(folder) as entries:
            yield from (entry.name for entry in entries if stat.S_ISDIR(entry.stat().st_mode))


def _unknown(home: Path, name: str) -> UsageError:
    known = [lab.name for lab in load_labs(home)]
    return UsageError(
        f"lab {name}",
        found="no such lab",
        expected=f"one of {', '.join(known)}" if known else "a lab",
        hint=f"ogai lab up --name {name}",
    )
