"""From runs to the file of their report."""

from collections.abc import Sequence
from pathlib import Path

from l0_infra.core.errors import UnsatisfiableError
from ogai.flows.train.report import gather, report_file
from ogai.render.report import render_page, save_page
from ogai.render.train.report.page import report_page

__all__ = ["write_report"]


def write_report(references: Sequence[str], to: Path | None) -> Path:
    """Write the report of runs, each as in `find`, and return where it lies; `to` as in `report_file`.

    Raises UsageError, MachineError, and UnsatisfiableError where a package that draws or lays out is missing.
    """
    gathered = gather(references)
    path = report_file(gathered, to)
    try:
        html = render_page(report_page(gathered))
    except ModuleNotFoundError as error:
        raise UnsatisfiableError(
            "making a report",
            found=f"no Python module `{error.name}`",
            expected="the extra `report`, which draws and lays out",
            hint="pip install --upgrade 'ogai[report]'",
        ) from error
    save_page(html, path)
    return path
