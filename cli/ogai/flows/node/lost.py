"""Nodes that could not be looked at, and how many nodes are named in a line."""

from collections.abc import Iterable, Sequence

from l0_infra.core.errors import FactsMissingError
from l0_infra.core.nodeset import fold, natural_key
from l0_infra.schemas import NodeFacts, Unread

__all__ = ["lost_of", "name_all", "raise_for_lost"]

LOST = frozenset(("hung", "unreachable"))


def lost_of(facts: NodeFacts) -> Unread | None:
    """Say why a node could not be looked at; None when it could."""
    return next((one for one in facts.unread if one.what == "node" and one.reason in LOST), None)


def raise_for_lost(nodes: Sequence[NodeFacts]) -> None:
    """Raise FactsMissingError when a node could not be looked at."""
    lost = {facts.node or "this machine": why for facts in nodes if (why := lost_of(facts))}
    if lost:
        first = next(iter(lost.values()))
        raise FactsMissingError(
            name_all(lost),
            found=f"{first.reason}: {first.detail}",
            expected="an answer",
            hint=first.hint,
            retry=True,
        )


def name_all(names: Iterable[str]) -> str:
    """Fold names into a node set; those that fit in none (folders of a bundle may have any name) stand beside it."""
    known = [name for name in dict.fromkeys(names) if name]
    plain = [name for name in known if not set(name) & set("[], ")]
    strange = sorted(set(known) - set(plain), key=natural_key)
    return ", ".join([*([fold(plain)] if plain else []), *strange])
