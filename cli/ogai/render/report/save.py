"""Keeps a report as a file: whole or not at all, and never over something that is no report."""

import os
from pathlib import Path

from l0_infra.core.errors import MachineError, UsageError
from l0_infra.core.store import save_file
from ogai.render.report.maker import GENERATOR

__all__ = ["save_page"]

MARK = f'<meta name="generator" content="{GENERATOR}">'.encode()
HEAD_BYTES = 2048
"""The mark stands within so many bytes from the start."""


def save_page(html: str, path: Path) -> None:
    """Write a page to `path`.

    Raises UsageError when something that is no report lies there, MachineError when it cannot be written.
    """
    try:
        if os.path.lexists(path) and not _is_ours(path):
            raise UsageError(
                str(path),
                found="something that is no report of ogai",
                expected="a new file, or a report to be replaced",
                hint="name another file: --to FILE.html",
            )
        save_file(path, html.encode(), durable=False)
    except OSError as error:
        raise MachineError(
            str(path),
            found=error.strerror or str(error),
            expected="a place to write the report to",
            hint="name another file: --to FILE.html",
        ) from error


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK in file.read(HEAD_BYTES)
