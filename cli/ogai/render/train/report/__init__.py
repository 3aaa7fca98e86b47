"""What a report of runs says and shows, in the report maker's words."""

from ogai.render.train.report.page import report_page

__all__ = ["report_page"]
