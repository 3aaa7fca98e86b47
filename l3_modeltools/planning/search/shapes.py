"""All legal ways to cut, but for how layers are dealt: divisors, each dimension judged by the one judge of cuts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import gcd

from l3_modeltools.planning.search.problem import Problem, Schedule
from l3_modeltools.schemas import Degrees, Pipeline, Strategy, cut_faults

__all__ = ["Block", "Cut", "Shape", "Space", "divisors"]


@dataclass(frozen=True, slots=True)
class Block:
    """What the seconds of a layer and a micro batch follow from."""

    tp: int
    cp: int
    ep: int
    sequence_parallel: bool
    micro_batch_size: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A block with its copies and stages, and the micro batches that each copy takes."""

    block: Block
    dp: int
    pp: int
    microbatches: int


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to cut, but for how layers are dealt and recomputed."""

    cut: Cut
    vp: int
    schedule: Schedule
    zero_stage: int

    @property
    def degrees(self) -> Degrees:
        """As a strategy has them."""
        block = self.cut.block
        return Degrees(
            dp=self.cut.dp,
            tp=block.tp,
            pp=self.cut.pp,
            cp=block.cp,
            ep=block.ep,
            vp=self.vp,
            sequence_parallel=block.sequence_parallel,
        )

    @property
    def simplicity(self) -> tuple[int, ...]:
        """Orders shapes that are equally fast: fewer dimensions that are cut, then fewer parts, less sharding."""
        block = self.cut.block
        degrees = (self.cut.dp, block.tp, self.cut.pp, block.cp, block.ep, self.vp)
        cuts = sum(degree > 1 for degree in degrees)
        return (
            cuts,
            self.schedule == "zero_bubble",
            block.tp * self.cut.pp * block.cp * block.ep * self.vp,
            self.zero_stage,
            block.sequence_parallel,
            block.micro_batch_size,
            *degrees,
        )


ENDS = 2
"""Virtual stages that may be a layer short: the first, which has the embedding, and the last, with the output."""


def divisors(number: int) -> list[int]:
    """All divisors, ascending."""
    low = [one for one in range(1, int(number**0.5) + 1) if number % one == 0]
    return low + [number // one for one in reversed(low) if one * one != number]


class Space:
    """All legal shapes of a problem that use all its accelerators and that the framework runs, in a fixed order."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.devices = problem.machine.devices
        self.orders = cache(self._orders)
        """Schedules of so many stages, each with its virtual stages."""

    def cuts(self) -> Iterator[Cut]:
        """Every cut."""
        for tp in self.tensor_degrees():
            for halved in self.sequence_cuts(tp):
                for cp in self.context_degrees(tp, sequence_parallel=halved):
                    yield from self.copies(tp, cp, sequence_parallel=halved)

    def shapes(self, cut: Cut) -> Iterator[Shape]:
        """Every shape of a cut."""
        for schedule, vp in self.orders(cut.pp):
            for zero in self.zero_stages:
                shape = Shape(cut, vp, schedule, zero)
                if self.problem.limits.runs(outline(self.problem, shape), cut.microbatches):
                    yield shape

    @cached_property
    def zero_stages(self) -> tuple[int, ...]:
        """Those that come into question."""
        decided = self.problem.decided.zero_stage
        return tuple(zero for zero in self.problem.limits.zero_stages if decided in (None, zero))

    def allowed(self, name: str, degrees: Iterable[int]) -> Iterator[int]:
        """Those that a person has decided for, and that the framework cuts."""
        decided = getattr(self.problem.decided, name)
        for degree in degrees:
            runs = degree == 1 or name in self.problem.limits.degrees
            if runs and decided in (None, degree):
                yield degree

    def legal(self, degrees: Degrees) -> bool:
        strategy = Strategy(degrees=degrees, padded_vocab_size=padded(self.problem, degrees.tp))
        return not any(cut_faults(strategy, self.problem.architecture, self.problem.sequence_length))

    def tensor_degrees(self) -> Iterator[int]:
        degrees = self.allowed("tp", divisors(self.devices))
        return (tp for tp in degrees if self.legal(Degrees(tp=tp)))

    def sequence_cuts(self, tp: int) -> Iterator[bool]:
        decided = self.problem.decided.sequence_parallel
        for cut in (False, True) if tp > 1 else (False,):
            if decided in (None, cut) or tp == 1:
                yield cut

    def context_degrees(self, tp: int, *, sequence_parallel: bool) -> Iterator[int]:
        for cp in self.allowed("cp", divisors(self.devices // tp)):
            if self.legal(Degrees(tp=tp, cp=cp, sequence_parallel=sequence_parallel)):
                yield cp

    def copies(self, tp: int, cp: int, *, sequence_parallel: bool) -> Iterator[Cut]:
        batch, micro_batch_size = self.problem.global_batch_size, self.problem.decided.micro_batch_size
        for pp in self.allowed("pp", divisors(self.devices // tp // cp)):
            dp = self.devices // tp // cp // pp
            if pp > self.problem.architecture.layers or batch % dp or not any(self.allowed("dp", [dp])):
                continue
            for ep in self.expert_degrees(dp * cp * tp):
                for micro in divisors(batch // dp):
                    if micro_batch_size in (None, micro):
                        yield Cut(Block(tp, cp, ep, sequence_parallel, micro), dp, pp, batch // dp // micro)

    @cached_property
    def expert_cuts(self) -> list[int]:
        experts = self.problem.architecture.experts
        degrees = self.allowed("ep", divisors(experts.n_routed_experts) if experts else [1])
        return [ep for ep in degrees if self.legal(Degrees(ep=ep))]

    def expert_degrees(self, ranks: int) -> Iterator[int]:
        return (ep for ep in self.expert_cuts if ranks % ep == 0)

    def _even(self, parts: int) -> bool:
        """Whether so many virtual stages are even, or a layer short at the ends, or decided."""
        return self.problem.decided.vp is not None or -self.problem.architecture.layers % parts <= ENDS

    def _orders(self, pp: int) -> tuple[tuple[Schedule, int], ...]:
        """Those without bubbles are published for one and two virtual stages.

        Virtual stages come into question where they are even, but for one layer at either end of the model: ranks take
        turns in step, so that an uneven one holds up all, which a step's formula does not see. A person may decide.
        """
        if pp == 1:
            known: list[tuple[Schedule, int]] = [("1f1b", 1)]
        else:
            most = self.problem.architecture.layers // pp
            known = [("1f1b", 1), *(("interleaved", vp) for vp in range(2, most + 1))]
            known += [("zero_bubble", vp) for vp in (1, 2) if vp <= most]
            known = [(schedule, vp) for schedule, vp in known if vp == 1 or self._even(pp * vp)]
        decided = self.problem.decided.schedule
        return tuple(
            (schedule, vp)
            for schedule, vp in known
            if schedule in self.problem.limits.schedules
            and decided in (None, schedule)
            and any(self.allowed("vp", [vp]))
        )


def outline(problem: Problem, shape: Shape) -> Strategy:
    """The shape as a strategy with even stages."""
    return Strategy(
        degrees=shape.degrees,
        pipeline=Pipeline(schedule=shape.schedule),
        zero_stage=shape.zero_stage,  # type: ignore[arg-type]
        micro_batch_size=shape.cut.block.micro_batch_size,
        padded_vocab_size=padded(problem, shape.cut.block.tp),
        vocab_parallel=problem.decided.vocab_parallel is not False,
    )


def padded(problem: Problem, tp: int) -> int | None:
    """The vocabulary that tp divides, where it does not divide the model's own."""
    size = problem.architecture.vocab_size
    return None if gcd(size, tp) == tp else -(-size // tp) * tp
