"""From what each stage holds to the strategy that says so, and what a shape's stages can hold at all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from l3_modeltools.planning.search.balance import Choice, Dealing, Slowest, balanced
from l3_modeltools.planning.search.problem import Problem
from l3_modeltools.planning.search.shapes import Shape, outline
from l3_modeltools.planning.search.stages import StageChooser
from l3_modeltools.schemas import Pipeline, Recompute, Strategy, balanced_offset

__all__ = ["Bounds", "strategy_of", "tables"]

Table = tuple[tuple[int, ...], ...]
WIDER = (1.5, float("inf"))
"""How many times a bound is allowed in turn."""

Price = Callable[[tuple[Choice, ...]], float]


def strategy_of(problem: Problem, shape: Shape, stages: tuple[Choice, ...]) -> Strategy:
    """The strategy in which every stage holds what was chosen for it."""
    from msgspec.structs import replace

    share = problem.architecture.layers // (shape.cut.pp * shape.vp)
    layers = _by_virtual_stage([one.layers for one in stages])
    offset = tuple(tuple(count - share for count in row) for row in layers)
    return replace(
        outline(problem, shape),
        pipeline=Pipeline(schedule=shape.schedule, offset=offset if any(map(any, offset)) else None),
        recompute=_recompute(
            layers,
            _by_virtual_stage([one.full for one in stages]),
            _by_virtual_stage([one.selective for one in stages]),
        ),
    )


def _recompute(layers: Table, full: Table, selective: Table) -> Recompute:
    some = any(map(any, selective))
    if any(map(any, full)):
        return Recompute(
            mode="full",
            layers=None if full == layers else full,
            selective_layers=selective if some else None,
        )
    if some:
        return Recompute(mode="selective", layers=None if selective == layers else selective)
    return Recompute()


def _by_virtual_stage(stages: list[tuple[int, ...]]) -> Table:
    return tuple(zip(*stages, strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """What no step of a shape can beat: `scale` for each second of work, and `rest` once."""

    scale: float
    rest: float


def tables(
    problem: Problem, shape: Shape, chooser: StageChooser, bounds: Bounds, price: Price, below: float
) -> Iterator[tuple[Choice, ...]]:
    """The tables of a shape among which its fastest is, if it takes no longer than `below` seconds."""
    for same in _alike(problem, shape, chooser, bounds, below):
        chooser.same = same
        if same > 0 and _recomputing(shape, chooser, bounds, same) > below:
            return
        if chooser.told_alike and chooser.least_bytes(same) > chooser.memory_bytes:
            continue
        if shape.cut.pp == 1:
            yield from ((one,) for one in chooser.frontier())
        elif shape.vp > 1 and not chooser.alike:
            yield from _even(problem, shape, chooser)
        else:
            found = _widening(shape, chooser, bounds, price, below)
            if found is not None:
                below = min(below, found[0])
                yield found[1]


def _widening(
    shape: Shape, chooser: StageChooser, bounds: Bounds, price: Price, below: float
) -> tuple[float, tuple[Choice, ...]] | None:
    """The fastest table; what is far from the bound, where there are many, is looked at only if need be."""
    least = bounds.scale * shape.cut.microbatches * chooser.work.whole(chooser.kinds) / shape.cut.pp
    for times in WIDER:
        limit = min(below, times * least + bounds.rest)
        found = balanced(_dealing(shape, chooser, bounds, limit), price, limit)
        if found is not None or limit == below:
            return found
    return None


def _alike(
    problem: Problem, shape: Shape, chooser: StageChooser, bounds: Bounds, below: float
) -> Iterator[int]:
    """What every virtual stage recomputes, where all must do the same: nothing, all selectively, or some in full."""
    yield 0
    if chooser.told_alike:
        if chooser.useful:
            yield -1
        if problem.limits.recomputing == "all":
            yield chooser.layers
            return
        yield from range(1, -(-_dealing(shape, chooser, bounds, below).most // shape.vp) + 1)


def _recomputing(shape: Shape, chooser: StageChooser, bounds: Bounds, same: int) -> float:
    """Seconds at least, for one stage has the even share or more, and all recompute so many of each virtual stage."""
    pp, vp, count = shape.cut.pp, shape.vp, shape.cut.microbatches
    share, low = -(-chooser.layers // pp), chooser.layers // (pp * vp)
    kinds = [of for of, many in zip(chooser.work.layers, chooser.kinds, strict=True) if many]
    each = min(of[0] - of[2] for of in kinds)
    again = (min(share, same) if vp == 1 else vp * min(low, same)) * each
    pace = share * min(of[2] for of in kinds) + again
    shown = chooser.shown.whole(chooser.kinds)
    shown += pp * vp * min(low if vp > 1 else 1, same) * each if chooser.shown is chooser.work else 0.0
    return bounds.scale * max(count * pace, (count - 1 / vp) * pace + shown / vp) + bounds.rest


def _even(problem: Problem, shape: Shape, chooser: StageChooser) -> Iterator[tuple[Choice, ...]]:
    """Layers of several kinds on virtual stages: the even table, the only one that is looked at."""
    layers, pp, vp = problem.architecture.layers, shape.cut.pp, shape.vp
    offset = balanced_offset(layers, pp, vp)
    stages, start = [[] for _ in range(pp)], 0  # type: list[list[tuple[int, int, int]]], int
    for row in offset:
        for p, more in enumerate(row):
            end = start + layers // (pp * vp) + more
            stages[p].append(chooser.between(start, end))
            start = end
    held = [chooser.hold(p, tuple(chunks)) for p, chunks in enumerate(stages)]
    found = tuple(one for one in held if one is not None)
    if len(found) == pp:
        yield found


def _dealing(shape: Shape, chooser: StageChooser, bounds: Bounds, below: float) -> Dealing:
    """What stages can hold: any number of layers each, or virtual ones the even share or one more."""
    pp, vp, layers = shape.cut.pp, shape.vp, chooser.layers
    share, rest = divmod(layers, pp * vp)
    least = min(of[2] for of, many in zip(chooser.work.layers, chooser.kinds, strict=True) if many)
    fewest, most = (1, layers - pp + 1) if vp == 1 else (vp * share, vp * (share + (rest > 0)))
    pace = (below - bounds.rest) / bounds.scale / shape.cut.microbatches
    reachable = int(min(most, pace / least * (1 + 1e-9), max(chooser.capacities)))
    return Dealing(
        layers=layers,
        stages=pp,
        count=shape.cut.microbatches,
        virtual=vp,
        fewest=fewest,
        most=reachable,
        shown=chooser.shown.whole(chooser.kinds),
        scale=bounds.scale,
        rest=bounds.rest,
        alike=chooser.alike,
        slowest=_slowest(shape, chooser),
        ahead=chooser.ahead,
        choose=chooser.choose,
    )


def _slowest(shape: Shape, chooser: StageChooser) -> tuple[Slowest, ...]:
    """Which stages to tell apart: the first holds the embedding, the last the output, and unlike layers are all over.

    Where stages show as much as they work it does not matter which of those in the middle is the slowest.
    """
    last = shape.cut.pp - 1
    if not chooser.alike:
        return tuple(map(Slowest, range(last + 1)))
    if shape.schedule == "zero_bubble":
        return tuple(map(Slowest, sorted({0, 1, last})))
    return Slowest(0), Slowest(1, further=True)
