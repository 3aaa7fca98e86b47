"""Which nodes a gang takes: those it fills best, all of them or none."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

from l2_scheduler.schemas import Resources

__all__ = ["Amount", "Room", "Shape"]


class Amount(NamedTuple):
    """Something of one node; its order as a tuple, scarce things first, is what best fit means here."""

    gpus: int
    cpus: int
    memory_bytes: int

    def plus(self, other: "Amount") -> "Amount":
        """Add each part."""
        return Amount(self.gpus + other.gpus, self.cpus + other.cpus, self.memory_bytes + other.memory_bytes)

    def minus(self, other: "Amount") -> "Amount":
        """Subtract each part; the result may be negative where more is held than there is."""
        return Amount(self.gpus - other.gpus, self.cpus - other.cpus, self.memory_bytes - other.memory_bytes)

    def beyond(self, other: "Amount") -> "Amount":
        """How much each part exceeds the other's; never negative."""
        return Amount(*(max(0, mine - its) for mine, its in zip(self, other, strict=True)))

    def least(self, other: "Amount") -> "Amount":
        """Take the smaller of each part."""
        return Amount(*map(min, self, other))

    def holds(self, need: "Amount") -> bool:
        """Whether `need` fits in here."""
        return self.gpus >= need.gpus and self.cpus >= need.cpus and self.memory_bytes >= need.memory_bytes


class Shape(NamedTuple):
    """What a gang wants: `need` on each of `nodes` distinct nodes."""

    need: Amount
    nodes: int

    @classmethod
    def of(cls, resources: Resources) -> "Shape":
        """Read the shape of a job; without a memory limit no memory is set aside."""
        cpus = resources.tasks_per_node * resources.cpus_per_task
        return cls(
            Amount(resources.gpus_per_node, cpus, resources.memory_bytes_per_node or 0), resources.nodes
        )


class Room:
    """Free amounts of nodes, kept in best-fit order; nodes are named by their index.

    Nodes with accelerators come after those without, so a job of CPUs alone avoids them when it can.
    """

    def __init__(self, free: Sequence[Amount], accelerated: Sequence[bool]) -> None:
        self._accelerated = accelerated
        self._free = list(free)
        self._order = sorted(map(self._entry, range(len(self._free))))

    def __getitem__(self, node: int) -> Amount:
        return self._free[node]

    def __setitem__(self, node: int, free: Amount) -> None:
        del self._order[bisect_left(self._order, self._entry(node))]
        self._free[node] = free
        insort(self._order, self._entry(node))

    @property
    def amounts(self) -> tuple[Amount, ...]:
        """Free amounts by node index."""
        return tuple(self._free)

    def choose(self, shape: Shape) -> tuple[int, ...] | None:
        """Best-fitting distinct nodes for the whole gang, or None; O(log n) to the first, O(n) to a no."""
        gpus, cpus, memory_bytes = shape.need
        first = bisect_left(self._order, (gpus > 0, gpus, cpus, memory_bytes, -1))
        found: list[int] = []
        for _, free_gpus, free_cpus, free_memory_bytes, node in self._order[first:]:
            if free_cpus >= cpus and free_memory_bytes >= memory_bytes and free_gpus >= gpus:
                found.append(node)
                if len(found) == shape.nodes:
                    return tuple(found)
        return None

    def _entry(self, node: int) -> tuple[bool, int, int, int, int]:
        return (self._accelerated[node], *self._free[node], node)
