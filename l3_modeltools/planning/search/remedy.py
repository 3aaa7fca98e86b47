"""Why nothing fits, and what would: the term that overflows, on which stage, by how much, and the nearest change."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.units import format_bytes
from l0_infra.schemas import Device
from l3_modeltools.planning.cost.bytes import StepMemory, memory_of
from l3_modeltools.planning.search.find import find
from l3_modeltools.planning.search.problem import Decided, Problem
from l3_modeltools.planning.search.shapes import Cut, Shape, Space, outline, padded
from l3_modeltools.schemas import Degrees, Recompute, Strategy, balanced_offset, batch_faults, cut_faults

__all__ = ["explain_nothing", "smallest"]

FAR = 6
"""Doublings of the machine that are tried."""

LOOKED_AT = 4000
"""Shapes whose memory is worked out to find the smallest."""


def explain_nothing(problem: Problem, devices: Iterable[Device] = ()) -> UnsatisfiableError:
    """The error for a problem that no strategy solves; `devices` are others that could be had."""
    found = smallest(problem)
    if found is None:
        return _illegal(problem)
    strategy, memory = found
    stage = memory.stages[memory.fullest]
    over = memory.peak - problem.memory_bytes
    kept = (
        f", {format_bytes(problem.headroom_bytes)} of the device being kept free"
        if problem.headroom_bytes
        else ""
    )
    terms = sorted(stage.named(), key=lambda term: -term[1])[:3]
    told = ", ".join(f"{name.replace('_', ' ')} {format_bytes(size)}" for name, size in terms)
    degrees = strategy.degrees
    cut = f"dp {degrees.dp} · tp {degrees.tp} · pp {degrees.pp} · cp {degrees.cp}"
    return UnsatisfiableError(
        f"{problem.architecture.name} on {problem.machine.devices:,} × {problem.device.name}",
        found=f"at least {format_bytes(memory.peak)} a device ({cut}, stage {memory.fullest}: {told}), "
        f"{format_bytes(over)} too much",
        expected=f"at most {format_bytes(problem.memory_bytes)}{kept}",
        hint="; ".join(_remedies(problem, memory.peak, devices)) or "a smaller model or a shorter sequence",
    )


def smallest(problem: Problem) -> tuple[Strategy, StepMemory] | None:
    """Of strategies with even stages, recomputed as far as may be, the one whose fullest stage needs least."""
    space = Space(problem)
    known = (shape for cut in space.cuts() for shape in _plainest(space, cut))
    best: tuple[Strategy, StepMemory] | None = None
    for _, shape in zip(range(LOOKED_AT), known, strict=False):
        strategy = _frugal(problem, shape)
        memory = memory_of(problem.setting(strategy), problem.device.memory_bytes)
        if best is None or memory.peak < best[1].peak:
            best = strategy, memory
    return best


def _plainest(space: Space, cut: Cut) -> Iterator[Shape]:
    """Of each ZeRO stage the schedule that comes first: it keeps fewest micro batches."""
    seen: set[int] = set()
    for shape in space.shapes(cut):
        if shape.zero_stage not in seen:
            seen.add(shape.zero_stage)
            yield shape


def _frugal(problem: Problem, shape: Shape) -> Strategy:
    from msgspec.structs import replace as with_fields

    plain = outline(problem, shape)
    offset = balanced_offset(problem.architecture.layers, shape.cut.pp, shape.vp)
    return with_fields(
        plain,
        pipeline=with_fields(plain.pipeline, offset=offset),
        recompute=Recompute(mode=problem.decided.recompute or "full"),
    )


def _remedies(problem: Problem, peak: int, devices: Iterable[Device]) -> Iterator[str]:
    """Changes after which something fits, each tried."""
    yield from _undecided(problem)
    for size in (problem.machine.devices * 2**times for times in range(1, FAR + 1)):
        if _fits(problem.on(size)):
            yield f"{size:,} accelerators would do"
            break
    needed = peak + problem.headroom_bytes
    large = sorted((one for one in devices if one.memory_bytes >= needed), key=lambda one: one.memory_bytes)
    if large:
        yield f"so would a device with {format_bytes(needed)}, such as `{large[0].name}`"


def _undecided(problem: Problem) -> Iterator[str]:
    """Decisions that stand in the way by themselves."""
    for field in fields(Decided):
        value = getattr(problem.decided, field.name)
        if value is None:
            continue
        freed = replace(problem, decided=replace(problem.decided, **{field.name: None}))
        found = find(freed, top=1, first=True).candidates
        if found:
            yield f"without {field.name}={value} it fits ({_value(found[0].strategy, field.name)})"


def _value(strategy: Strategy, name: str) -> str:
    """What the search took for what a person had decided."""
    places: dict[str, Callable[[], object]] = {
        "micro_batch_size": lambda: strategy.micro_batch_size,
        "zero_stage": lambda: strategy.zero_stage,
        "schedule": lambda: strategy.pipeline.schedule,
        "recompute": lambda: strategy.recompute.mode,
    }
    value = places[name]() if name in places else getattr(strategy.degrees, name)
    return f"{name}={value}"


def _fits(problem: Problem) -> bool:
    return bool(find(problem, top=1, first=True).candidates)


def _illegal(problem: Problem) -> UnsatisfiableError:
    """Nothing divides: say which decision is to blame, by the judge of cuts, else that the batch is."""
    decided = problem.decided
    degrees = Degrees(
        dp=decided.dp or 1, tp=decided.tp or 1, pp=decided.pp or 1, cp=decided.cp or 1, ep=decided.ep or 1
    )
    strategy = Strategy(
        degrees=degrees,
        micro_batch_size=decided.micro_batch_size or 1,
        padded_vocab_size=padded(problem, degrees.tp),
    )
    faults = [
        *cut_faults(strategy, problem.architecture, problem.sequence_length),
        *batch_faults(strategy, problem.global_batch_size),
    ]
    for fault in faults:
        if fault.path[-1] != "offset":
            where = ".".join(map(str, fault.path))
            return UnsatisfiableError(where, found=fault.found, expected=fault.expected, hint=fault.hint)
    cut = degrees.dp * degrees.tp * degrees.pp * degrees.cp
    where, size = f"{problem.machine.devices:,} accelerators", problem.machine.devices
    if size % cut:
        return UnsatisfiableError(
            where,
            found=f"{size} = {cut} × {size // cut} + {size % cut}",
            expected="a multiple of what is decided",
        )
    return UnsatisfiableError(
        where,
        found="no way to use all of them: copies · tensor · pipeline · context parts never make that number",
        expected=f"a number whose copies divide the global batch {problem.global_batch_size}",
        hint="a global batch or a number of accelerators with more small divisors, or fewer things decided",
    )
