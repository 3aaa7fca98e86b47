"""Whether a training fits into the memory of its devices, and the strategies that would."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.units import format_bytes
from l3_modeltools.planning.memory import MemoryTerms, estimate_memory
from l3_modeltools.planning.opinion import Site
from l3_modeltools.planning.pace import step_seconds
from l3_modeltools.planning.place import Place
from l3_modeltools.schemas import Architecture, Degrees, Recompute, Strategy, Train

__all__ = ["Fit", "choose_strategy", "judge_fit", "require_fit"]

MIB = 2**20

NO_REMEDY = "no strategy of this trainer fits: choose a smaller model, a shorter sequence or larger devices"

MOST_SEQUENCES = 8
"""Sequences of a micro batch beyond which a planned one does not grow: more is hardly faster."""

NONE, FULL = Recompute(), Recompute(mode="full")

Way = tuple[Literal[0, 2, 3], Recompute]
ALONE: tuple[Way, ...] = ((0, NONE), (0, FULL))
SHARED: tuple[Way, ...] = ((0, NONE), (2, NONE), (3, NONE), (3, FULL))
"""What to shard and recompute, the fastest first, for one rank and for several."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fit:
    """What a node needs where against what it has; on a CPU `device` is the node's memory for all its ranks."""

    terms: MemoryTerms
    device: str
    needed_bytes: int
    available_bytes: int

    @property
    def fits(self) -> bool:
        """Whether there is room."""
        return self.needed_bytes <= self.available_bytes


def judge_fit(train: Train, architecture: Architecture, place: Place) -> Fit:
    """Compare the estimate with what the device has; on a node with accelerators, the tighter of device and host."""
    terms, ranks = estimate_memory(train, architecture), train.ranks_per_node
    wish = train.resources.memory_bytes_per_node
    node = min(place.memory_bytes, wish or place.memory_bytes)
    if not train.resources.gpus_per_node:
        return Fit(terms=terms, device="node", needed_bytes=ranks * terms.total, available_bytes=node)
    smallest = min(one.memory_bytes for one in place.accelerators)
    device = Fit(terms=terms, device="accelerator", needed_bytes=terms.device, available_bytes=smallest)
    host = Fit(terms=terms, device="host", needed_bytes=ranks * terms.host, available_bytes=node)
    return host if device.fits else device


def choose_strategy(
    train: Train, architecture: Architecture, place: Place, site: Site | None = None
) -> tuple[Strategy, int]:
    """The quickest strategy that fits, and how many do; what fits nowhere gets the most frugal.

    Where seconds are known they decide. Else the first way of sharing memory that fits does, with the largest micro
    batch: copies before shards, shards before recomputation, for each of them is slower.
    """
    fitting: list[Strategy] = []
    for strategy in (every := list(_strategies(train))):
        wished = replace(train, strategy=strategy)
        if judge_fit(wished, architecture, place).fits:
            fitting.append(strategy)
            if step_seconds(wished, architecture, site) is None:
                break
    if not fitting:
        return every[-1], 0
    quickest = min(
        fitting, key=lambda one: step_seconds(replace(train, strategy=one), architecture, site) or 0.0
    )
    return quickest, len(fitting)


def _strategies(train: Train) -> Iterator[Strategy]:
    """All ways, the most generous first; of micro batches those of at most 8 sequences, the largest first."""
    for zero_stage, recompute in SHARED if train.ranks > 1 else ALONE:
        for size in _micro_batches(train, MOST_SEQUENCES):
            yield Strategy(
                degrees=Degrees(dp=train.ranks),
                zero_stage=zero_stage,
                recompute=recompute,
                micro_batch_size=size,
            )


def require_fit(train: Train, architecture: Architecture, place: Place) -> Fit:
    """Return how it fits; UnsatisfiableError that names the largest term and the nearest strategy that does."""
    fit = judge_fit(train, architecture, place)
    if fit.fits:
        return fit
    ranks = train.ranks_per_node
    name, size = max(_competing(fit), key=lambda term: term[1])
    each = "" if fit.device == "accelerator" or ranks == 1 else f" for {ranks} ranks"
    own_limit = fit.device != "accelerator" and fit.needed_bytes <= place.memory_bytes
    remedy = _remedy(train, architecture, place)
    raise UnsatisfiableError(
        "resources.memory_bytes_per_node" if own_limit else f"memory of each {fit.device}",
        found=f"a need of {format_bytes(fit.needed_bytes)}{each}, most of it {name}: {format_bytes(size)} a rank",
        expected=f"at most {format_bytes(fit.available_bytes)}",
        hint=_limit_remedy(fit, remedy) if own_limit else remedy or NO_REMEDY,
    )


def _limit_remedy(fit: Fit, remedy: str) -> str:
    """Name the limit that would do, behind what would keep within it."""
    limit = f"nearest: `memory_bytes_per_node: {-(-fit.needed_bytes // MIB)} MiB`"
    return f"{remedy}; else {limit}" if remedy else limit


def _competing(fit: Fit) -> Iterator[tuple[str, int]]:
    """The terms that share what is too small."""
    for name, size in fit.terms.named():
        on_host = name in ("staging", "framework")
        if fit.device == "node" or on_host == (fit.device == "host"):
            yield name, size


def _remedy(train: Train, architecture: Architecture, place: Place) -> str:
    """Say what would fit; nothing where nothing of this trainer would."""
    for words, changed in _changes(train):
        if judge_fit(changed, architecture, place).fits:
            return f"with {words} it fits"
    if (nodes := _nodes_needed(train, architecture, place)) is not None:
        return f"with `zero_stage: 3`, full recomputation and `nodes: {nodes}` it fits"
    return ""


def _changes(train: Train) -> Iterator[tuple[str, Train]]:
    """Ever more frugal strategies, in the order of what they cost."""
    now = train.strategy or Strategy()
    smaller = [size for size in _micro_batches(train, now.micro_batch_size) if size < now.micro_batch_size]
    sharing = [stage for stage in (2, 3) if stage > now.zero_stage and now.degrees.dp > 1]
    steps: list[tuple[str, Strategy]] = []
    steps += [(f"`micro_batch_size: {size}`", replace(now, micro_batch_size=size)) for size in smaller]
    steps += [(f"`zero_stage: {stage}`", replace(now, zero_stage=stage)) for stage in sharing]
    if now.recompute.mode != "full":
        steps.append(("`recompute: {mode: full}`", replace(now, recompute=FULL)))
    least = smaller[-1] if smaller else now.micro_batch_size
    most = replace(
        now, micro_batch_size=least, zero_stage=3 if now.degrees.dp > 1 else now.zero_stage, recompute=FULL
    )
    steps.append((_difference(now, most), most))
    for words, strategy in steps:
        yield words, replace(train, strategy=strategy)


def _difference(now: Strategy, then: Strategy) -> str:
    words = [
        f"`micro_batch_size: {then.micro_batch_size}`" * (then.micro_batch_size != now.micro_batch_size),
        f"`zero_stage: {then.zero_stage}`" * (then.zero_stage != now.zero_stage),
        "`recompute: {mode: full}`" * (now.recompute.mode != "full"),
    ]
    return ", ".join(word for word in words if word)


def _nodes_needed(train: Train, architecture: Architecture, place: Place) -> int | None:
    """The fewest nodes of this place, doubling, over which the most frugal strategy fits and the batch divides."""
    batch, each = train.data.global_batch_size if train.data else 1, train.ranks_per_node
    nodes = 2 * train.resources.nodes
    while nodes <= place.nodes and nodes * each <= batch:
        strategy = Strategy(degrees=Degrees(dp=nodes * each), zero_stage=3, recompute=FULL)
        wider = replace(train, strategy=strategy, resources=replace(train.resources, nodes=nodes))
        if batch % (nodes * each) == 0 and judge_fit(wider, architecture, place).fits:
            return nodes
        nodes *= 2
    return None


def _micro_batches(train: Train, most: int) -> list[int]:
    """Sequences that a micro batch may have, the most first: divisors of one copy's share of the global batch."""
    share = (train.data.global_batch_size if train.data else 1) // train.ranks
    return [size for size in range(min(most, share), 0, -1) if share % size == 0] or [1]
