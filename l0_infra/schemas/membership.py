"""Whose a node is, as a mark on it says."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Part, Text

__all__ = ["Membership"]


class Membership(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cluster that a node was made part of."""

    cluster: Annotated[Text, Meta(description="Its name.")]
    id: Annotated[Text, Meta(description="What tells it from another cluster of the same name.")]
