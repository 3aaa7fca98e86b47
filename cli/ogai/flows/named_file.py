"""A result goes into the file that a person named; a place where none can be is their slip, and no defect."""

from pathlib import Path

from l0_infra.core.errors import MachineError, UsageError, describe_os_error
from l0_infra.core.store import save_file

__all__ = ["refuse_no_folder", "save_named"]


def refuse_no_folder(path: Path) -> None:
    """Raise UsageError where the folder of a file is not there, before work is done for it."""
    if not path.absolute().parent.is_dir():
        expected = "a file in a folder that is there"
        raise UsageError(str(path), found=f"no folder {path.parent}", expected=expected)


def save_named(path: Path, text: str) -> None:
    """Write a text. Raises UsageError where its folder is not there, MachineError where it cannot be written."""
    refuse_no_folder(path)
    try:
        save_file(path, text.encode())
    except OSError as error:
        found = describe_os_error(error)
        raise MachineError(str(path), found=found, expected="a file that can be written") from error
