"""Where a person's document and the one that is kept here part: said to who changes one or applies the other."""

from collections.abc import Iterator, Sequence
from time import localtime, strftime

import msgspec

from l0_infra.core.errors import OgaiError
from l0_infra.core.nodeset import fold
from l1_podsys import MemberChange, compare_members, describe_edits
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.brought import Brought
from ogai.flows.cluster.place import ClusterPlace

__all__ = ["told_apart", "with_edits"]


def with_edits(brought: Brought, place: ClusterPlace, before: Cluster, after: Cluster) -> Brought:
    """Say with a result what a person has to write into a document of their own, which nobody else does."""
    return msgspec.structs.replace(
        brought, document=place.load_notes().origin, edits=describe_edits(before, after)
    )


def told_apart(place: ClusterPlace, wished: Cluster) -> tuple[str, ...]:
    """Say whom a document brings back, drops or moves, compared with the one that was applied last; first: nothing."""
    if not place.document.exists():
        return ()
    try:
        kept = place.load()
    except OgaiError:
        return ()  # one that an earlier version wrote is replaced by this one
    return tuple(_lines(compare_members(kept, wished), place))


def _lines(changes: Sequence[MemberChange], place: ClusterPlace) -> Iterator[str]:
    removed = place.load_notes().removed
    days: dict[str, list[str]] = {}
    for change in changes:
        if change.kind == "added" and change.name in removed:
            day = strftime("%Y-%m-%d", localtime(removed[change.name]))
            days.setdefault(day, []).append(change.name)
    for day, names in days.items():
        yield f"{fold(names)}: comes back, for it was removed on {day} and this document still has it"
    dropped = [change.name for change in changes if change.kind == "removed"]
    if dropped:
        yield f"{fold(dropped)}: dropped, for this document lacks it and the one applied last has it"
    for change in changes:
        if change.kind == "moved":
            yield f"{change.name}: moves from {change.before} to {change.after}, as this document says"
