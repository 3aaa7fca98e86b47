"""Reads a changed text as a document and tells its faults as a person would see them, without the source."""

from l0_infra.core.documents import Document, parse_document
from l0_infra.core.errors import DocumentError


def faults_of(text: str, kind: type[Document], *changes: tuple[str, str]) -> list[str]:
    """Replace each first text by the second, which must change something, and list `line:column: fault`."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    try:
        parse_document(text, source="x", expect=kind)
    except DocumentError as error:
        return [str(fault).removeprefix("x:") for fault in error.faults]
    return []


def hints_of(text: str, kind: type[Document]) -> list[str]:
    """List the hints of all faults."""
    try:
        parse_document(text, source="x", expect=kind)
    except DocumentError as error:
        return [fault.hint for fault in error.faults]
    return []
