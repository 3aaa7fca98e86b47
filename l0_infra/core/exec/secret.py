"""A text that must not be seen: it shows as `***` wherever a value may be printed, logged or stored."""

import hmac
from typing import NoReturn, final

__all__ = ["Secret"]


@final
class Secret:
    """A secret text; only `reveal()` gives it away, and comparing takes the same time whatever differs."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself; for the one place that needs it."""
        return self._text

    def __repr__(self) -> str:
        return "***"

    def __format__(self, spec: str) -> str:
        return format("***", spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._text.encode(), other._text.encode())

    __hash__ = None  # type: ignore[assignment]  # a key in a table is compared in varying time

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is never pickled or copied into a document")
