"""Keeps a report as a file: whole or not at all, and never over something that is no report."""

import os
from pathlib import Path

from l0_infra.core.errors import MachineError, UsageError, describe_os_error
from l0_infra.core.store import save_file
from ogai.render.report.maker import GENERATOR

__all__ = ["save_page"]

MARK = f'<meta name="generator" content="{GENERATOR}">'.encode()
ANOTHER = "name another file"
HEAD_BYTES = 2048
"""The mark stands within so many bytes from the start."""


def save_page(html: str, path: Path) -> None:
    """Write a page to `path`.

    Raises UsageError when something that is no report lies there, MachineError when it cannot be written.
    """
    try:
        if found := _in_the_way(path):
            raise UsageError(
                str(path), found=found, expected="a new file, or a report to be replaced", hint=ANOTHER
            )
        save_file(path, html.encode(), durable=False)
    except OSError as error:
        found = describe_os_error(error)
        raise MachineError(
            str(path), found=found, expected="a place to write the report to", hint=ANOTHER
        ) from error


def _in_the_way(path: Path) -> str:
    """Say what keeps a report from this place; nothing where it may go there."""
    if path.is_dir():
        return "a directory"
    if os.path.lexists(path):
        return "" if _is_ours(path) else "something that is no report of ogai"
    return "" if path.parent.is_dir() else f"no directory {path.parent}"


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK in file.read(HEAD_BYTES)
