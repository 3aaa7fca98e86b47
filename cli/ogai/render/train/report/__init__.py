"""What a report of runs says and shows, in the report maker's words, and the file that it becomes."""

from ogai.render.train.report.file import write_report
from ogai.render.train.report.page import report_page

__all__ = ["report_page", "write_report"]
