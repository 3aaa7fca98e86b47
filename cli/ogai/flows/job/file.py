"""The one word that `ogai job submit` takes: a document, or a program that belongs behind `--`."""

import os
import shlex
import shutil
from pathlib import Path

from l0_infra.core.errors import UsageError
from ogai.flows.job.request import SCRIPT_ENDINGS

__all__ = ["document_file"]

INTERPRETERS = {".py": "python", ".sh": "bash", ".bash": "bash", ".R": "Rscript", ".jl": "julia"}
STDIN = Path("/dev/stdin")


def document_file(word: str) -> Path:
    """Return the file of a document; `-` is stdin. Raises UsageError, with the right command, for a program."""
    if word == "-":
        return STDIN
    path = Path(word)
    meant = command_meant(path, word)
    if meant:
        raise UsageError(
            "ogai job submit",
            found=f"`{word}`, which is no job document",
            expected="a document, or a command behind `--`",
            hint=f"ogai job submit -- {meant}",
        )
    return path


def command_meant(path: Path, word: str) -> str:
    """Say the command that this word most likely is, or nothing if it may be a document."""
    if is_file(path):
        if path.suffix in SCRIPT_ENDINGS and not os.access(path, os.X_OK):
            return f"{INTERPRETERS.get(path.suffix, 'env')} {shlex.quote(word)}"
        runs = path.suffix in SCRIPT_ENDINGS or (not path.suffix and os.access(path, os.X_OK))
        return shlex.quote(word if "/" in word else f"./{word}") if runs else ""
    first = word.split()[:1]
    return word if first and shutil.which(first[0]) else ""


def is_file(path: Path) -> bool:
    """Tell whether there is such a file; a word too long for a name, as a whole script may be, is none."""
    try:
        return path.is_file()
    except OSError:
        return False
