"""The window of bytes by which files without an index of their own are cut."""

__all__ = ["PIECE_BYTES"]

PIECE_BYTES = 2**20
"""Window of a text or of JSON lines; a longer text becomes several documents, for nothing is held whole."""
