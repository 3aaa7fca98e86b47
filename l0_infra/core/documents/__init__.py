"""The machinery of shared documents: declared once, read with positions, checked whole, written back."""

from l0_infra.core.documents.declare import Bytes, Document, Part, Seconds

__all__ = ["Bytes", "Document", "Part", "Seconds"]
