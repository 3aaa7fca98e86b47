"""The fastest strategies of a problem, proven: what is not priced cannot be among them.

Cuts with the shortest steps in sight come first; what cannot beat the best that were found is passed over. So is a
shape of which not even one stage with the even share of layers, all recomputed, can fit. Of what is left the layers are
dealt exactly.
"""

from dataclasses import dataclass, field
from functools import partial

from l3_modeltools.planning.cost.bytes import Like, StepMemory, layers_of, memory_of, rank_of
from l3_modeltools.planning.cost.seconds import StepTime, time_of
from l3_modeltools.planning.search.balance import Choice
from l3_modeltools.planning.search.floors import Floors
from l3_modeltools.planning.search.problem import Problem, Schedule
from l3_modeltools.planning.search.seconds import LayerSeconds, Probe, kinds_of
from l3_modeltools.planning.search.shapes import Block, Cut, Shape, Space, outline
from l3_modeltools.planning.search.stages import StageChooser
from l3_modeltools.planning.search.table import Bounds, strategy_of, tables
from l3_modeltools.schemas import Strategy

__all__ = ["Candidate", "Searched", "find"]

FAR = 1.5
"""Strategies that take so many times as long as the best are not worth a line."""

CLOSE = 1e-9
"""Steps whose seconds differ by this share take equally long; the simpler one is ranked first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A strategy that fits, and what a step with it costs."""

    strategy: Strategy
    time: StepTime
    memory: StepMemory
    microbatches: int

    @property
    def step_s(self) -> float:
        """Seconds of a step."""
        return self.time.total


@dataclass(kw_only=True, slots=True)
class Searched:
    """The best candidates, of each tp, pp and ep the fastest, and how many shapes were looked at how closely."""

    candidates: tuple[Candidate, ...] = ()
    shapes: int = 0
    """All there are."""
    too_slow: int = 0
    """Passed over, for they cannot be as fast as those found."""
    too_large: int = 0
    """Passed over, for they cannot fit."""
    dealt: int = 0
    """Those whose layers were dealt exactly."""
    priced: int = 0
    """Whole strategies that were priced."""

    def pass_over(self, shapes: int) -> None:
        """Count shapes that are too slow by the bound of their cut."""
        self.shapes += shapes
        self.too_slow += shapes


@dataclass(slots=True)
class _Best:
    """The best of each set of degrees, and what a further one must stay below."""

    top: int
    within: float
    known: dict[tuple[int, ...], tuple[float, tuple[int, ...], Strategy]] = field(default_factory=dict)

    def below(self, group: tuple[int, ...]) -> float:
        """Seconds that a candidate of a group may take."""
        own = self.known[group][0] * (1 + CLOSE) if group in self.known else self.within
        return min(self.worst(), own)

    def worst(self) -> float:
        """Seconds that any candidate may take."""
        ranked = sorted(one[0] for one in self.known.values())
        if not ranked:
            return self.within
        last = ranked[self.top - 1] if len(ranked) >= self.top else self.within
        return min(last * (1 + CLOSE), FAR * ranked[0], self.within)

    def offer(self, group: tuple[int, ...], seconds: float, shape: Shape, strategy: Strategy) -> None:
        one = (seconds, shape.simplicity, strategy)
        if group not in self.known or _order(one) < _order(self.known[group]):
            self.known[group] = one


def _order(one: tuple[float, tuple[int, ...], Strategy]) -> tuple[float, tuple[int, ...]]:
    return float(f"{one[0]:.9g}"), one[1]


def find(problem: Problem, *, top: int = 5, within: float = float("inf"), first: bool = False) -> Searched:
    """The `top` fastest strategies, of different tp, pp or ep, that fit and take no longer than `within` seconds.

    Those that take half as long again as the best are left out. `first`: any that fits will do.

    Raises UnsatisfiableError for a number format that the device has no peak of.
    """
    return _Search(problem, top, within).run(first=first)


class _Search:
    def __init__(self, problem: Problem, top: int, within: float) -> None:
        self.problem, self.space, self.probe = problem, Space(problem), Probe(problem)
        self.floors, self.step_s = Floors(problem), problem.calibration.step_s
        self.best, self.found = _Best(top, within), Searched()
        self.kinds, self.layers = kinds_of(problem.architecture), problem.architecture.layers
        self.memory_bytes = problem.memory_bytes
        self.scale = 1.0
        self.layer_fits: dict[Block, bool] = {}
        self.least: dict[tuple[Cut, int], int] = {}
        self.likes: dict[tuple[Cut, int], dict[object, Like]] = {}

    def run(self, *, first: bool) -> Searched:
        """Take cuts in the order of what they cannot beat."""
        known = [cut for cut in self.space.cuts() if self.space.orders(cut.pp)]
        if known:
            self.scale = self.probe.scale(known[0].block)
        known = [cut for cut in known if self.may_fit(cut)]
        for _, bound, at in sorted((*self.cut_bounds(cut), at) for at, cut in enumerate(known)):
            if first and self.best.known:
                break
            if bound > self.best.worst():
                self.found.pass_over(len(self.space.orders(known[at].pp)) * len(self.space.zero_stages))
                continue
            shapes, dominated = _undominated(list(self.space.shapes(known[at])), self.problem)
            self.found.pass_over(dominated)
            fitting = [shape for shape in shapes if self.least_bytes(shape) <= self.memory_bytes]
            self.found.shapes += len(shapes)
            self.found.too_large += len(shapes) - len(fitting)
            for shape in sorted(fitting, key=self.shape_bound):
                self.consider(shape)
        near = [one for one in self.best.known.values() if one[0] <= self.best.worst()]
        ranked = sorted(near, key=_order)[: self.best.top]
        offered = [self.candidate(strategy) for _, _, strategy in ranked]
        self.found.candidates = tuple(sorted(offered, key=lambda one: float(f"{one.step_s:.9g}")))
        return self.found

    def may_fit(self, cut: Cut) -> bool:
        """Whether a single layer's backward pass fits, and what lasts of the even share; else all is too large."""
        if cut.block not in self.layer_fits:
            setting = self.problem.setting(outline(self.problem, Shape(cut, 1, "1f1b", 0)))
            layers = zip(layers_of(rank_of(setting)), self.kinds, strict=True)
            least = min(layer.kept + layer.passing for layer, many in layers if many)
            self.layer_fits[cut.block] = least <= self.memory_bytes
        zeros, states = self.space.zero_stages, self.floors.least_state_bytes
        fits = self.layer_fits[cut.block] and any(states(cut, zero) <= self.memory_bytes for zero in zeros)
        if not fits:
            shapes = len(self.space.orders(cut.pp)) * len(self.space.zero_stages)
            self.found.shapes += shapes
            self.found.too_large += shapes
        return fits

    def work(self, cut: Cut, zero: int = 0) -> LayerSeconds:
        """Seconds of layers at work."""
        return self.probe.seconds(cut.block, "1f1b", *((3, cut.dp) if zero == 3 else (0, 1)))

    def shown(self, cut: Cut, schedule: Schedule, zero: int) -> LayerSeconds:
        """Seconds of layers while others wait."""
        if schedule != "zero_bubble":
            return self.work(cut, zero)
        return self.probe.seconds(cut.block, "zero_bubble", *((3, cut.dp) if zero == 3 else (0, 1)))

    def pace(self, cut: Cut) -> float:
        """Seconds of a micro batch that the slowest stage takes at least: the even share of them, or of layers."""
        work = self.work(cut)
        least = min(of[2] for of, many in zip(work.layers, self.kinds, strict=True) if many)
        return max(work.whole(self.kinds) / cut.pp, -(-self.layers // cut.pp) * least)

    def cut_bounds(self, cut: Cut) -> tuple[float, float]:
        """What a cut is ordered by, and seconds that no step of it can beat, with the schedule of the shortest bubble.

        Where schedules have next to none, none is proven, and a third of a bubble is a guess.
        """
        whole, count = self.probe.whole(cut.block), cut.microbatches
        pace = whole / cut.pp
        most: dict[Schedule, int] = dict(self.space.orders(cut.pp))
        waits = [0.0 if one == "zero_bubble" else (whole - pace) / vp for one, vp in most.items()]
        guess = [(whole - pace) / vp / (3 if one == "zero_bubble" else 1) for one, vp in most.items()]
        evens = (self.floors.even(cut, zero) for zero in self.space.zero_stages)
        once = min((one.shown(self.floors.hidden * pace) for one in evens), default=0.0)
        bound = self.scale * (count * pace + min(waits)) + self.step_s
        return self.scale * (count * pace + min(guess) + once), bound

    def shape_bound(self, shape: Shape) -> float:
        """The same of a shape."""
        return self.bound(shape.cut, shape.schedule, shape.vp, shape.zero_stage)

    def bound(self, cut: Cut, schedule: Schedule, vp: int, zero: int) -> float:
        """All micro batches at the slowest stage, all stages once, virtual ones sooner, and what is done once a step.

        A slower pace hides more of the exchanges, but costs more than that where it counts more often than once.
        """
        count, pace, floors = cut.microbatches, self.pace(cut), self.floors
        if self.scale * count * pace + self.step_s > self.best.worst():
            return self.scale * count * pace + self.step_s
        once = floors.once(cut, zero, self.work(cut, zero), pace)
        hides = floors.hidden * pace
        least = count * pace + once.shown(hides)
        if self.scale * least + self.step_s > self.best.worst():
            return self.scale * least + self.step_s
        often, shown = count - 1 / vp, self.shown(cut, schedule, zero).whole(self.kinds)
        filled = often * pace + shown / vp + once.shown(hides if often >= floors.hidden else float("inf"))
        return self.scale * max(least, filled) + self.step_s

    def bounds(self, shape: Shape, below: float) -> Bounds:
        """What a step of a shape takes beside its work, if it takes no longer than `below` seconds."""
        cut, zero = shape.cut, shape.zero_stage
        once = self.floors.once(cut, zero, self.work(cut, zero), self.pace(cut))
        slowest = below / self.scale / cut.microbatches
        shown = once.shown(self.floors.hidden * slowest if self.floors.hidden else 0.0)
        rest = self.scale * (self.probe.hand_over(shape) + shown) + self.step_s
        return Bounds(scale=self.scale, rest=rest)

    def consider(self, shape: Shape) -> None:
        """Price the best of a shape, unless a bound shows that it is none of the best."""
        below, least = self.best.below(group_of(shape)), self.shape_bound(shape)
        if least > below or least + self.scale * self.probe.hand_over(shape) > below:
            self.found.too_slow += 1
            return
        bounds = self.bounds(shape, below)
        chooser = self.chooser(shape, self.reach(shape, below, bounds))
        if sum(chooser.capacities) < self.layers:
            self.found.too_large += 1
            return
        self.found.dealt += 1

        def price(table: tuple[Choice, ...]) -> float:
            return self.price(strategy_of(self.problem, shape, table)).total

        for table in tables(self.problem, shape, chooser, bounds, price, below):
            seconds = price(table)
            if seconds <= below:
                self.best.offer(group_of(shape), seconds, shape, strategy_of(self.problem, shape, table))

    def reach(self, shape: Shape, below: float, bounds: Bounds) -> int:
        """Layers that a stage has time for, were they of the fastest kind, and room for what lasts of the lightest."""
        cut = shape.cut
        room = self.floors.most_layers(cut, shape.zero_stage)
        if cut.pp == 1:
            return room
        least = min(of[2] for of, many in zip(self.work(cut).layers, self.kinds, strict=True) if many)
        pace = (below - bounds.rest) / bounds.scale / cut.microbatches
        return int(min(room, pace / least * (1 + CLOSE)))

    def chooser(self, shape: Shape, reach: int | None = None) -> StageChooser:
        """What the stages of a shape can hold."""
        likes = self.likes.setdefault((shape.cut, shape.zero_stage), {})
        return StageChooser(
            self.problem,
            shape,
            partial(self.work, shape.cut, shape.zero_stage),
            partial(self.shown, shape.cut, shape.schedule, shape.zero_stage),
            self.memory_bytes,
            likes,
            reach,
        )

    def least_bytes(self, shape: Shape) -> int:
        """Bytes that some stage of a shape needs at least: the same for all its schedules."""
        key = shape.cut, shape.zero_stage
        if key not in self.least:
            states = self.floors.least_state_bytes(*key)
            known = states <= self.memory_bytes
            self.least[key] = self.chooser(shape).least_bytes() if known else states
        return self.least[key]

    def price(self, strategy: Strategy, *, played: bool = False) -> StepTime:
        """A whole step, in full, but for what virtual stages wait for each other, unless it is played."""
        self.found.priced += 1
        one = self.problem
        return time_of(one.setting(strategy), one.machine, one.device, one.calibration, played=played)

    def candidate(self, strategy: Strategy) -> Candidate:
        setting = self.problem.setting(strategy)
        return Candidate(
            strategy=strategy,
            time=self.price(strategy, played=True),
            memory=memory_of(setting, self.problem.device.memory_bytes),
            microbatches=setting.microbatches,
        )


def _undominated(shapes: list[Shape], problem: Problem) -> tuple[list[Shape], int]:
    """Those that no other one beats for sure, and how many others there are.

    Stages keep gradients whole, and gathered weights, through the step: there ZeRO 2 and 3 take as long as ZeRO 1, and
    no fewer bytes. But for ZeRO 3 where weights are kept in one format alone.
    """
    useless = {2} if problem.practice.kept.master_only else {2, 3}
    plain = {(one.schedule, one.vp) for one in shapes if one.zero_stage == 1 and one.cut.pp > 1}
    left = [one for one in shapes if one.zero_stage not in useless or (one.schedule, one.vp) not in plain]
    return left, len(shapes) - len(left)


def group_of(shape: Shape) -> tuple[int, ...]:
    """The degrees of which the fastest alone is shown; copies and context parts make up the rest of the devices."""
    return shape.cut.block.tp, shape.cut.pp, shape.cut.block.ep
