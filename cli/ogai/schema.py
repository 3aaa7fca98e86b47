"""The documents, and whether files are such: `from ogai.schema import check_files`."""

from ogai.flows.schemas import Checked, KindSummary, check_files, summarise_kinds

__all__ = [
    "Checked",
    "KindSummary",
    "check_files",
    "summarise_kinds",
]
