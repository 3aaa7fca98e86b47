"""How documents of this layer name a model of the registry."""

from typing import Annotated

from msgspec import Meta

__all__ = ["ModelRef"]

ModelRef = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(@[1-9][0-9]*)?$")]
"""A registered model, `name` for its newest version or `name@3`."""
