"""Find the best strategies for a model on a machine, and say what each means."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from l0_infra import load_devices
from l0_infra.core.documents import render_document
from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.store import save_file
from l0_infra.core.units import format_count
from l3_modeltools import (
    Candidate,
    Outlook,
    Problem,
    Searched,
    Wish,
    count_parameters,
    explain_nothing,
    outlook,
    plan_strategy,
    reasons,
    scaling_curve,
    strategy_front,
)
from l3_modeltools.schemas import Strategy, Workload
from ogai.flows.strategy.asked import Asked, problem_of

__all__ = ["Curve", "Offer", "Plan", "Point", "search", "sweep"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """One strategy, what it means, and where its time and memory go."""

    strategy: Strategy
    microbatches: int
    outlook: Outlook
    seconds: dict[str, float]
    """Of a step, by term."""
    stages: tuple[dict[str, int], ...]
    """Bytes of each pipeline stage, by term."""
    layers: tuple[int, ...]
    reasons: tuple[tuple[str, float], ...]
    """What a step spends beside its work, as a share of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What was asked, how much was looked at, and the best of it."""

    model: str
    parameters: int
    devices: int
    device: str
    device_memory_bytes: int
    sequence_length: int
    global_batch_size: int
    framework: str | None
    tokens: float | None
    shapes: int
    """All ways to cut, but for how layers are dealt."""
    too_slow: int
    too_large: int
    dealt: int
    priced: int
    offers: tuple[Offer, ...]
    front: tuple[Offer, ...] = ()
    """From the fastest to the smallest, where it was asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """The best strategy at one size; None where none fits."""

    devices: int
    offer: Offer | None
    efficiency: float | None
    """Tokens a second of a device, over those at the smallest size at which the model fits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """How a training scales."""

    model: str
    device: str
    global_batch_size: int
    points: tuple[Point, ...]


def search(
    asked: Asked,
    wish: Wish | None = None,
    *,
    top: int = 5,
    front: bool = False,
    to: Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Plan:
    """Search, and write the best strategy to `to` where that is given.

    Raises UnsatisfiableError where nothing fits or keeps to the wish, with the nearest change that would.
    """
    wish, problem = wish or Wish(), problem_of(asked)
    planned = plan_strategy(problem, wish, top=top, tell=tell)
    if planned.found is None:
        raise _unkept(problem, wish)
    plan = _plan(asked, wish, planned.problem, planned.found)
    if front:
        points = tuple(strategy_front(planned.problem))
        plan = _with_front(plan, tuple(_offer(planned.problem, one, wish.tokens) for one in points))
    if to:
        save_file(to, render_document(plan.offers[0].strategy).encode())
    return plan


def sweep(
    asked: Asked, devices: Sequence[int], *, tokens: float | None = None, tell: Callable[[str], None]
) -> Curve:
    """The best strategy for each number of accelerators. Raises UnsatisfiableError where none has any."""
    problem, points, base = problem_of(asked), [], None
    for size in devices:
        tell(format_count(size, "accelerator"))
        ((resized, best),) = scaling_curve(problem, [size])
        offer = _offer(resized, best, tokens) if best else None
        rate = offer.outlook.tokens_per_s_per_device if offer else None
        base = base or rate
        points.append(Point(devices=size, offer=offer, efficiency=rate / base if rate and base else None))
    if base is None:
        raise explain_nothing(problem.on(max(devices)), load_devices())
    return Curve(
        model=problem.architecture.name,
        device=problem.device.name,
        global_batch_size=problem.global_batch_size,
        points=tuple(points),
    )


def _unkept(problem: Problem, wish: Wish) -> UnsatisfiableError:
    """Nothing fits, or what fits is too slow or too dear."""
    anything = plan_strategy(problem, Wish(), top=1)
    if anything.found is None:
        return explain_nothing(problem, load_devices())
    best = outlook(problem, anything.found.candidates[0], wish.tokens)
    days = wish.deadline_s / 86400 if wish.deadline_s else None
    told = [f"{best.days:.4g} days" if best.days else "", f"a cost of {best.cost:,.0f}" if best.cost else ""]
    wanted = [f"{days:.4g} days" if days else "", f"a cost of {wish.budget:,.0f}" if wish.budget else ""]
    return UnsatisfiableError(
        f"{problem.architecture.name} on {problem.machine.devices:,} × {problem.device.name}",
        found=f"at best {' and '.join(filter(None, told))} with all of them",
        expected=f"at most {' and '.join(filter(None, wanted))}",
        hint=_more(best, days),
    )


def _more(best: Outlook, days: float | None) -> str:
    if best.days is None or days is None or best.days <= days:
        return "fewer tokens, or a larger budget"
    return (
        f"as many accelerators as {best.days / days:.2f} times these if they scale, or "
        f"{days / best.days:.0%} of the tokens"
    )


def _plan(asked: Asked, wish: Wish, problem: Problem, found: Searched) -> Plan:
    return Plan(
        model=problem.architecture.name,
        parameters=count_parameters(problem.architecture).total,
        devices=problem.machine.devices,
        device=problem.device.name,
        device_memory_bytes=problem.device.memory_bytes,
        sequence_length=problem.sequence_length,
        global_batch_size=problem.global_batch_size,
        framework=asked.framework,
        tokens=wish.tokens,
        shapes=found.shapes,
        too_slow=found.too_slow,
        too_large=found.too_large,
        dealt=found.dealt,
        priced=found.priced,
        offers=tuple(_offer(problem, one, wish.tokens) for one in found.candidates),
    )


def _with_front(plan: Plan, front: tuple[Offer, ...]) -> Plan:
    from dataclasses import replace as with_fields

    return with_fields(plan, front=front)


def _offer(problem: Problem, candidate: Candidate, tokens: float | None) -> Offer:
    workload = Workload(
        architecture=problem.architecture,
        sequence_length=problem.sequence_length,
        global_batch_size=problem.global_batch_size,
    )
    return Offer(
        strategy=replace(candidate.strategy, workload=workload),
        microbatches=candidate.microbatches,
        outlook=outlook(problem, candidate, tokens),
        seconds=dict(candidate.time.named()),
        stages=tuple(dict(stage.named()) for stage in candidate.memory.stages),
        layers=tuple(stage.layers for stage in candidate.memory.stages),
        reasons=reasons(candidate.time),
    )
