"""Which accelerators of a node a job gets: the first free ones, side by side when there is such a run."""

from collections.abc import Iterable

from l0_infra.core.nodeset import natural_key
from l1_podsys.schemas import NodeState

__all__ = ["Accelerators"]


class Accelerators:
    """The accelerators of one node that nobody outside this queue uses, and which of them are free."""

    def __init__(self, node: NodeState) -> None:
        self._all = sorted((accelerator.id for accelerator in node.accelerators), key=natural_key)
        self._quiet = frozenset(
            accelerator.id for accelerator in node.accelerators if accelerator.busy is None
        )
        self._free = set(self._quiet)

    def hold(self, ids: Iterable[str]) -> int:
        """Mark as held; count those that come back to this queue when they are let go."""
        mine = self._quiet.intersection(ids)
        self._free -= mine
        return len(mine)

    def take(self, count: int) -> tuple[str, ...]:
        """Hold `count` free ones, neighbours if possible, in natural order; there must be as many."""
        places = [place for place, name in enumerate(self._all) if name in self._free]
        runs = (
            places[start : start + count]
            for start in range(len(places) - count + 1)
            if places[start + count - 1] - places[start] == count - 1
        )
        chosen = tuple(self._all[place] for place in next(runs, places[:count])) if count else ()
        self._free.difference_update(chosen)
        return chosen
