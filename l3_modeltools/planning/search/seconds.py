"""Seconds of one layer and one micro batch by kind and recomputation, read off the cost model from outside.

`time_of` prices whole steps. A probe has two stages: the first so long that it is the slowest, the second holding what
is asked about. The first waits for the second alone, so the step's bubble is the second stage's seconds, exactly.
"""

from dataclasses import dataclass
from functools import lru_cache

from msgspec.structs import replace

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.seconds import time_of
from l3_modeltools.planning.search.problem import Mode, Problem, Schedule
from l3_modeltools.planning.search.shapes import Block, Shape, outline, padded
from l3_modeltools.schemas import Architecture, Degrees, Pipeline, Recompute, Strategy

__all__ = ["MODES", "LayerSeconds", "Probe", "kinds_of"]

MODES: tuple[Mode, ...] = ("full", "selective", "none")
"""In the order in which a stage's layers are recomputed."""

ROUNDING = 1e-9

Kinds = tuple[int, int, int]

LONG = 100_000
"""Layers of the stage that waits."""


@dataclass(frozen=True, slots=True)
class LayerSeconds:
    """Seconds of a layer of each kind, by kind and then by mode as in `MODES`, and of the output."""

    layers: tuple[tuple[float, float, float], ...]
    output: float

    def whole(self, kinds: tuple[int, ...]) -> float:
        """All of a model with so many layers of each kind, nothing recomputed."""
        return self.output + sum(many * of[2] for many, of in zip(kinds, self.layers, strict=True))

    def stage(self, dealt: tuple[tuple[int, int, int], ...], *, last: bool) -> float:
        """A stage whose layers of each kind are recomputed so."""
        seconds = self.output if last else 0.0
        for many, of in zip(dealt, self.layers, strict=True):
            seconds += many[0] * of[0] + many[1] * of[1] + many[2] * of[2]
        return seconds


class Probe:
    """Asks the cost model about one layer at a time, about each once."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.kinds = kinds_of(problem.architecture)
        self.seconds = lru_cache(maxsize=None)(self._seconds)
        self.handed: dict[object, float] = {}
        self.wholes: dict[Block, float] = {}

    def _seconds(self, block: Block, schedule: Schedule, zero_stage: int, dp: int) -> LayerSeconds:
        """Seconds while others wait, which with a schedule without bubbles is less than a stage works.

        `zero_stage` and `dp` matter to those who gather weights for each micro batch.
        """

        def ask(kinds: Kinds, mode: Mode) -> float:
            return self._bubble(block, kinds, mode, schedule, zero_stage, dp)

        output = ask((0, 0, 0), "none")
        layers = [(0.0, 0.0, 0.0)] * 3
        for kind in (kind for kind in range(3) if self.kinds[kind]):
            alone = (int(kind == 0), int(kind == 1), int(kind == 2))
            full, selective, none = (ask(alone, mode) - output for mode in MODES)
            layers[kind] = (full, selective, none)
        return LayerSeconds(tuple(layers), output)

    def scale(self, block: Block) -> float:
        """What a second of work adds to a step: more than one where others are waited for that are slow by chance.

        Two micro batches and one of a model that no pipeline cuts differ by one of them.
        """
        kinds = tuple(int(many > 0) for many in self.kinds)
        layers = sum(kinds)
        strategy = replace(
            self._strategy(block, layers, "none", "1f1b", 0, 1), pipeline=Pipeline(), recompute=Recompute()
        )
        strategy = replace(strategy, degrees=replace(strategy.degrees, pp=1))
        one, experts = self.problem, self.problem.architecture.experts
        short = replace(
            one.architecture,
            num_hidden_layers=kinds[0] + kinds[1],
            num_nextn_predict_layers=kinds[2],
            experts=experts and replace(experts, first_k_dense_replace=kinds[0]),
        )

        def step(count: int) -> float:
            setting = Setting(
                architecture=short,
                strategy=strategy,
                sequence_length=one.sequence_length,
                global_batch_size=count * block.micro_batch_size,
                practice=one.practice,
            )
            return time_of(setting, one.machine, one.device, one.calibration).total

        work = self.seconds(block, "1f1b", 0, 1)
        return max(1.0, (step(2) - step(1)) / work.whole(kinds) * (1 - ROUNDING))

    def hand_over(self, shape: Shape) -> float:
        """Seconds in which stages hand over to each other, whatever they hold."""
        if shape.cut.pp == 1:
            return 0.0
        key, one = (shape.cut, shape.schedule, shape.vp), self.problem
        if key not in self.handed:
            setting = one.setting(outline(one, shape))
            self.handed[key] = time_of(setting, one.machine, one.device, one.calibration).hand_over
        return self.handed[key]

    def whole(self, block: Block) -> float:
        """Seconds of the whole model and a micro batch, nothing recomputed."""
        if block not in self.wholes:
            self.wholes[block] = self._bubble(block, self.kinds, "none", "1f1b", 0, 1)
        return self.wholes[block]

    def _bubble(
        self, block: Block, kinds: Kinds, mode: Mode, schedule: Schedule, zero_stage: int, dp: int
    ) -> float:
        """Seconds of the second stage of a probe that has so many layers of each kind there."""
        one = self.problem
        setting = Setting(
            architecture=_lengthened(one.architecture, kinds),
            strategy=self._strategy(block, sum(kinds), mode, schedule, zero_stage, dp),
            sequence_length=one.sequence_length,
            global_batch_size=block.micro_batch_size * dp,
            practice=one.practice,
        )
        return time_of(setting, one.machine, one.device, one.calibration).bubble

    def _strategy(
        self, block: Block, layers: int, mode: Mode, schedule: Schedule, zero_stage: int, dp: int
    ) -> Strategy:
        share = (LONG + layers) // 2
        asked = None if mode == "none" else ((0, layers),)
        return Strategy(
            degrees=Degrees(
                dp=dp,
                tp=block.tp,
                pp=2,
                cp=block.cp,
                ep=block.ep,
                sequence_parallel=block.sequence_parallel,
            ),
            pipeline=Pipeline(schedule=schedule, offset=((LONG - share, layers - share),)),
            recompute=Recompute(mode=mode, layers=asked),
            zero_stage=zero_stage,  # type: ignore[arg-type]
            micro_batch_size=block.micro_batch_size,
            padded_vocab_size=padded(self.problem, block.tp),
            vocab_parallel=self.problem.decided.vocab_parallel is not False,
        )


def kinds_of(architecture: Architecture) -> tuple[int, int, int]:
    """Layers of each kind: dense, with experts, for multi-token prediction."""
    dense = pieces.dense_layers(architecture)
    return dense, architecture.num_hidden_layers - dense, architecture.num_nextn_predict_layers


def _lengthened(architecture: Architecture, kinds: tuple[int, int, int]) -> Architecture:
    """The model with a long first stage of dense layers, and so many of each kind behind it."""
    experts = architecture.experts
    if experts is not None:
        experts = replace(experts, first_k_dense_replace=LONG + kinds[0])
    return replace(
        architecture,
        num_hidden_layers=LONG + kinds[0] + kinds[1],
        num_nextn_predict_layers=kinds[2],
        experts=experts,
    )
