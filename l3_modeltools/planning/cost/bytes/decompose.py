"""What a layer costs by another trainer's own account: its stages' peaks, as a dry run tells them, taken apart.

Peaks of stages with different layers, recomputed differently, are linear in a few unknowns, and MindFormers' balancing
tool takes them apart so (r1.5.0, toolkit/pipeline_balance/readme.md). Here they are fitted to all stages at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from l3_modeltools.planning.cost.bytes.flight import in_flight
from l3_modeltools.planning.cost.bytes.least_squares import least_squares
from l3_modeltools.planning.cost.bytes.place import Stage, stages_of
from l3_modeltools.planning.cost.setting import Setting

__all__ = ["Decomposition", "StagePeak", "decompose", "stage_peaks"]

CONSTANT_BYTES = 2**30
"""What a stage needs beside its layers is around this; so much of it counts as one hundredth of a peak."""

NOISE = 0.01


@dataclass(frozen=True, kw_only=True, slots=True)
class StagePeak:
    """A stage by its numbers, and the peak measured of it."""

    layers: int
    kept: int
    """Layers times micro batches in flight, however recomputed; the next three are parts of it."""
    full: int
    selective: int
    gathering: int
    first: bool
    last: bool
    peak_bytes: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Decomposition:
    """Bytes of one rank: what a layer holds, what it keeps of a micro batch, and what recomputation spares of that."""

    layer: float
    kept: float
    full: float
    selective: float
    gathering: float
    constant: float
    first: float
    last: float

    def peak_of(self, stage: StagePeak) -> float:
        """The peak that follows for a stage, measured or not."""
        unknowns = (self.layer, self.kept, self.full, self.selective, self.gathering)
        ends = self.constant + self.first * stage.first + self.last * stage.last
        return ends + sum(a * b for a, b in zip(_numbers(stage), unknowns, strict=True))


def stage_peaks(setting: Setting, peaks: Sequence[float]) -> tuple[StagePeak, ...]:
    """The stages of a setting with what was measured of each, in their order."""
    return tuple(
        _stage_peak(stage, flying, peak)
        for stage, flying, peak in zip(stages_of(setting), in_flight(setting), peaks, strict=True)
    )


def decompose(stages: Sequence[StagePeak]) -> Decomposition:
    """Fit all unknowns to relative errors; what no stage tells of is 0, and the constant near 0 if in doubt."""
    rows = [[*_numbers(stage), 1, stage.first, stage.last] for stage in stages]
    told = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    weighted = [
        [row[column] / stage.peak_bytes for column in told] for row, stage in zip(rows, stages, strict=True)
    ]
    expected = [NOISE / CONSTANT_BYTES if column == len(rows[0]) - 3 else 0.0 for column in told]
    found = dict(zip(told, least_squares(weighted, [1.0] * len(stages), expected), strict=True))
    names = ("layer", "kept", "full", "selective", "gathering", "constant", "first", "last")
    return Decomposition(**{name: found.get(column, 0.0) for column, name in enumerate(names)})


def _numbers(stage: StagePeak) -> tuple[int, int, int, int, int]:
    return stage.layers, stage.kept, -stage.full, -stage.selective, -stage.gathering


def _stage_peak(stage: Stage, flying: tuple[int, ...], peak: float) -> StagePeak:
    pairs = list(zip(flying, stage.chunks, strict=True))
    return StagePeak(
        layers=stage.layers,
        kept=sum(batches * sum(chunk.layers) for batches, chunk in pairs),
        full=sum(batches * chunk.full for batches, chunk in pairs),
        selective=sum(batches * chunk.selective for batches, chunk in pairs),
        gathering=sum(batches * chunk.gathering for batches, chunk in pairs),
        first=stage.first,
        last=stage.last,
        peak_bytes=peak,
    )
