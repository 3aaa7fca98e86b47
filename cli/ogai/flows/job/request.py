"""From what a person typed to a job: a document, flags laid over it, a command behind `--`."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from l0_infra.core.documents import parse_document, read_document
from l0_infra.core.errors import DocumentError, Fault
from l2_scheduler.schemas import Job

__all__ = ["Flag", "default_name", "read_job"]

SOURCE = "ogai job submit"
SCRIPT_ENDINGS = frozenset({".bash", ".jl", ".js", ".pl", ".py", ".R", ".rb", ".sh"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag:
    """Something typed (`--time 2h`) and the settings it stands for (`limits.time_s=2h`)."""

    typed: str
    settings: tuple[str, ...]


def read_job(file: Path | None, command: Sequence[str] = (), flags: Sequence[Flag] = ()) -> Job:
    """Make the job of a document file, a command, or both; flags win over the file, the command over both.

    Raises DocumentError with all faults: those of the file by line and column, those of a flag by the flag.
    """
    given = (_command(command, named=file is None),) if command else ()
    every = (*given, *flags)
    settings = [setting for flag in every for setting in flag.settings]
    try:
        if file is None:
            return parse_document("kind: job\n", source=SOURCE, expect=Job, settings=settings)
        return read_document(file, expect=Job, settings=settings)
    except DocumentError as error:
        faults = [_told(fault, every) for fault in error.faults]
        raise DocumentError(error.document, faults, hint=error.hint) from None


def default_name(command: Sequence[str]) -> str:
    """Name a job after its script, else its module, else its program: `python -u train.py` is `train`."""
    words = [PurePath(word) for word in command]
    script = next((word.stem for word in words if word.suffix in SCRIPT_ENDINGS), "")
    module = command[2] if len(command) > 2 and command[1] == "-m" else ""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", script or module or words[0].name)
    return name.lstrip("._-")[:64] or "job"


def _command(command: Sequence[str], *, named: bool) -> Flag:
    name = (f"name={default_name(command)}",) if named else ()
    words = json.dumps(list(command), ensure_ascii=False)
    return Flag(typed="-- COMMAND", settings=(f"command={words}", *name))


def _told(fault: Fault, flags: Sequence[Flag]) -> Fault:
    """Say the flag where a fault lies in what a flag stands for."""
    for flag in flags:
        if any(fault.where.startswith(f"--set {setting}") for setting in flag.settings):
            return replace(fault, where=flag.typed)
    return fault
