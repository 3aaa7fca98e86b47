"""The machinery of shared documents: declared once, read with positions, checked whole, written back."""

from l0_infra.core.documents.declare import Bytes, Document, Part, Seconds
from l0_infra.core.documents.read import parse_document, read_document

__all__ = ["Bytes", "Document", "Part", "Seconds", "parse_document", "read_document"]
