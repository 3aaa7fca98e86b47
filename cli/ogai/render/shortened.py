"""Texts of any length as a page can hold them."""

__all__ = ["shortened"]


def shortened(text: str, limit: int) -> str:
    """Cut a text that is longer, and say how much is missing."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} characters more)"
