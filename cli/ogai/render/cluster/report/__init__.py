"""A cluster as one page: what checks found, what was brought up how, how fast and of which versions nodes are."""

from ogai.render.cluster.report.file import write_report
from ogai.render.cluster.report.page import report_page

__all__ = ["report_page", "write_report"]
