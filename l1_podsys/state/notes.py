"""What a cluster's document does not say, and later runs want to know of earlier ones."""

from collections.abc import Collection
from pathlib import Path

import msgspec

__all__ = ["Notes"]


class Notes(msgspec.Struct, frozen=True, kw_only=True):
    """Where a person keeps the document, who was removed, and who waits to be given back."""

    origin: str = ""
    """Path of the document that the cluster was last brought up from; empty when it is not known."""
    removed: dict[str, float] = {}
    """When nodes were removed that have not come back."""
    replaced: tuple[str, ...] = ()
    """Nodes that were drained for another machine to take their place, and not given back yet."""

    def from_file(self, path: Path) -> "Notes":
        """Note from which file it is brought up."""
        return msgspec.structs.replace(self, origin=str(path.absolute()))

    def without(self, names: Collection[str], at: float) -> "Notes":
        """Note that nodes were removed."""
        return msgspec.structs.replace(
            self, removed={**self.removed, **dict.fromkeys(names, at)}, replaced=_less(self.replaced, names)
        )

    def having(self, names: Collection[str]) -> "Notes":
        """Note who is in the document: nobody of them was removed."""
        removed = {name: at for name, at in self.removed.items() if name not in names}
        return msgspec.structs.replace(self, removed=removed)

    def replacing(self, name: str) -> "Notes":
        """Note that a node waits for another machine."""
        return msgspec.structs.replace(self, replaced=(*_less(self.replaced, [name]), name))

    def settled(self, names: Collection[str]) -> "Notes":
        """Note that nodes wait for none any more."""
        return msgspec.structs.replace(self, replaced=_less(self.replaced, names))


def _less(names: tuple[str, ...], others: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)
