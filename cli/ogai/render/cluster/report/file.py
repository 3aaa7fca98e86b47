"""From what is known of a cluster to the file of its report."""

from pathlib import Path

from l0_infra.core.errors import UnsatisfiableError
from ogai.flows.cluster import ClusterReport, report_path
from ogai.render.cluster.report.page import report_page
from ogai.render.report import render_page, save_page

__all__ = ["write_report"]


def write_report(report: ClusterReport, to: Path | None) -> Path:
    """Write the report and return where it lies.

    Raises UsageError, MachineError, and UnsatisfiableError where the package that lays out is missing.
    """
    path = report_path(report, to)
    try:
        html = render_page(report_page(report))
    except ModuleNotFoundError as error:
        raise UnsatisfiableError(
            "making a report",
            found=f"no Python module `{error.name}`",
            expected="the extra `report`, which lays out",
            hint="pip install --upgrade 'ogai[report]'",
        ) from error
    save_page(html, path)
    return path
