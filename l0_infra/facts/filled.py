"""One document from two that tell of the same thing."""

from typing import TypeVar

import msgspec

from l0_infra.core.documents import Part

__all__ = ["filled"]

P = TypeVar("P", bound=Part)


def filled(first: P, second: P) -> P:
    """Take from the second what the first does not know."""
    unknown = [name for name in first.__struct_fields__ if getattr(first, name) is None]
    return msgspec.structs.replace(first, **{name: getattr(second, name) for name in unknown})
