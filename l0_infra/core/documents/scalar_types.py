"""The scalar types that documents of several layers share, so that one word means one thing in all of them."""

from typing import Annotated

from msgspec import Meta

__all__ = ["Count", "EnvironmentName", "Name", "Positive", "Sha256", "Text", "Time"]

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        extra_json_schema={"x-words": "a name of at most 64 letters, digits, `.`, `_` and `-`"},
    ),
]
EnvironmentName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        extra_json_schema={"x-words": "a variable's name in letters, digits and `_`"},
    ),
]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hexadecimal."""

Time = Annotated[float, Meta(ge=0)]
"""Seconds since the epoch, UTC."""
