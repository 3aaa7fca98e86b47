"""How a document is declared: two base structs and the scalar types that carry a unit."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct

from l0_infra.core.errors import Fault

__all__ = ["Bytes", "Document", "Part", "Seconds"]

Bytes = Annotated[int, Meta(ge=0, extra_json_schema={"x-unit": "bytes"})]
"""A size in bytes; a file may say `64 GiB`, the program always holds the integer."""

Seconds = Annotated[float, Meta(ge=0, extra_json_schema={"x-unit": "seconds"})]
"""A duration in seconds; a file may say `2h30m`, the program always holds the number."""


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of a document: frozen, typed, unknown keys refused."""

    def faults(self) -> Iterator[Fault]:
        """Yield what the types cannot say; paths are relative to this part."""
        yield from ()


class Document(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A whole document; a subclass names its kind with `tag="…"` and repeats the struct options."""

    version: Literal[1] = 1
