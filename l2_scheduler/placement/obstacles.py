"""Why a gang does not fit: never, not while nodes are out or used from outside, or not now."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import ge

from l0_infra.core.units import format_bytes, format_count
from l1_podsys.schemas import ClusterState, NodeState
from l2_scheduler.placement.decisions import Blocker, BlockerCode
from l2_scheduler.placement.fit import Amount, Shape
from l2_scheduler.placement.free import capacity, unheld

__all__ = ["NOTHING_FREE", "Obstacles", "Shortage"]

NAMED_AT_MOST = 3
NOTHING_FREE = (Blocker(code="resources", where="nodes", found="every CPU taken", expected="free CPUs"),)
"""What every job waits for while each CPU is taken; one value for all of them."""


class Obstacles:
    """The cluster without this queue's jobs, in grades: whole, taking jobs, not used from outside.

    Each grade counts equal nodes together, so that a question costs as much as there are kinds of nodes.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self._out = [node for node in cluster.nodes if node.state != "idle"]
        self._idle = [node for node in cluster.nodes if node.state == "idle"]
        self._whole = Counter(map(capacity, cluster.nodes))
        self._takes_jobs = Counter(map(capacity, self._idle))
        self._unheld = Counter(map(unheld, self._idle))
        self._devices_let_go = Counter(
            Amount(len(node.accelerators), *unheld(node)[1:]) for node in self._idle
        )

        self._known: dict[Shape, tuple[Blocker, ...]] = {}

    def never(self, shape: Shape) -> tuple[Blocker, ...]:
        """Say why the gang would not fit even on the whole, empty cluster."""
        if _enough(self._whole, shape):
            return ()
        return (_blocker("never_fits", _shortest(self._whole, shape, "in all"), describe(shape)),)

    def beyond_reach(self, shape: Shape) -> tuple[Blocker, ...]:
        """Say why the gang would not fit even if all jobs of this queue had ended now."""
        found = self._known.get(shape)
        if found is None:
            fits = _enough(self._unheld, shape)
            found = self._known[shape] = () if fits else self.never(shape) or self._outside(shape)
        return found

    def _outside(self, shape: Shape) -> tuple[Blocker, ...]:
        if not _enough(self._takes_jobs, shape):
            return (
                _blocker("node_state", _listed(map(_out_of_service, self._out)), f"{describe(shape)}, idle"),
            )
        busy = [accelerator for node in self._idle for accelerator in _busy(node)]
        if busy and _enough(self._devices_let_go, shape):
            return (
                _blocker(
                    "accelerators_busy", _listed(busy), f"{describe(shape)}, not used outside this queue"
                ),
            )
        found = f"{_shortest(self._unheld, shape, 'left')}, the rest is used outside this queue"
        return (_blocker("resources", found, describe(shape)),)


class Shortage:
    """What is free at one moment, for all gangs that ask about it."""

    def __init__(self, free: Sequence[Amount]) -> None:
        self._kinds = Counter(free)
        self._total = Amount(*(sum(max(0, amount[part]) for amount in free) for part in range(3)))
        self.everything_taken = self._total.cpus == 0

    def blocker(self, shape: Shape) -> Blocker:
        """Say what a gang lacks; fragmentation is when the sums would do but the nodes do not."""
        if self.everything_taken:
            return NOTHING_FREE[0]
        found = _shortest(self._kinds, shape, "free now")
        if self._total.holds(Amount(*(shape.nodes * part for part in shape.need))):
            found = f"{_words(self._total, shape.need)} free in sum, but {found}"
            return _blocker("fragmentation", found, describe(shape))
        return _blocker("resources", found, describe(shape))


def describe(shape: Shape) -> str:
    """Write what a gang wants: `2 nodes with 8 CPUs and 4 accelerators each`."""
    if shape.nodes == 1:
        return f"1 node with {_words(shape.need, shape.need)}"
    return f"{shape.nodes} nodes with {_words(shape.need, shape.need)} each"


def _words(amount: Amount, need: Amount) -> str:
    """Write those parts of an amount that are needed."""
    parts = [format_count(amount.cpus, "CPU")]
    if need.memory_bytes:
        parts.append(f"{format_bytes(max(0, amount.memory_bytes))} of memory")
    if need.gpus:
        parts.append(format_count(amount.gpus, "accelerator"))
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]


def _enough(kinds: Counter[Amount], shape: Shape) -> bool:
    return sum(count for amount, count in kinds.items() if amount.holds(shape.need)) >= shape.nodes


def _shortest(kinds: Counter[Amount], shape: Shape, having: str) -> str:
    """Say how far these nodes go: how many can serve, and what the best of the others has; of one, what it has."""
    if kinds.total() == 1:
        return f"{_words(next(iter(kinds)), shape.need)} {having}"
    able = sum(count for amount, count in kinds.items() if amount.holds(shape.need))
    best = max(
        (amount for amount in kinds if not amount.holds(shape.need)), key=_closeness(shape.need), default=None
    )
    serving = f"{format_count(able, 'such node')}" if able else "no such node"
    return serving if best is None else f"{serving} (the next best has {_words(best, shape.need)} {having})"


def _closeness(need: Amount) -> Callable[[Amount], tuple[int, Amount]]:
    """Order nodes by how many of the wanted parts they have, then by how much."""
    return lambda amount: (sum(map(ge, amount, need)), amount)


def _busy(node: NodeState) -> Iterator[str]:
    for accelerator in node.accelerators:
        if accelerator.busy is not None:
            yield f"{accelerator.id} on {node.name} ({accelerator.busy})"


def _out_of_service(node: NodeState) -> str:
    return f"{node.name} {node.state}" + (f" ({node.state_reason})" if node.state_reason else "")


def _listed(items: Iterable[str]) -> str:
    every = list(items)
    rest = len(every) - NAMED_AT_MOST
    return ", ".join(every[:NAMED_AT_MOST]) + (f" and {rest} more" if rest > 0 else "")


def _blocker(code: BlockerCode, found: str, expected: str) -> Blocker:
    return Blocker(code=code, where="nodes", found=found, expected=expected)
