"""What a person sees when ogai itself is broken: one sentence, and where the traceback lies."""

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Mapping

import click

from ogai.version import __version__

__all__ = ["DEFECT", "report"]

DEFECT = 70
"""Exit code of a defect: `EX_SOFTWARE` of sysexits.h."""


def report(error: BaseException, environ: Mapping[str, str]) -> int:
    """Tell of a defect on stderr; the traceback goes to a file, or to stderr with `OGAI_DEBUG=1`."""
    text = "".join(traceback.format_exception(error))
    click.echo(f"error: ogai: a defect in ogai itself: {type(error).__name__}: {error}", err=True)
    path = None if environ.get("OGAI_DEBUG") == "1" else _written(text)
    if path is None:
        click.echo(text, err=True)
    else:
        click.echo(f"hint: report it with the traceback in {path}; OGAI_DEBUG=1 shows it here", err=True)
    return DEFECT


def _written(text: str) -> str | None:
    """Write the traceback to a file that only this user can read; return its path, or None if that fails."""
    head = f"ogai {__version__}, Python {sys.version.split()[0]}, {platform.platform()}\n\n"
    try:
        descriptor, path = tempfile.mkstemp(prefix="ogai-defect-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(head + text)
    except OSError:
        return None
    return path
