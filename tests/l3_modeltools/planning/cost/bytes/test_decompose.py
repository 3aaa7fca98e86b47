"""Peaks of a pipeline's stages taken apart: where they are linear, and where another trainer measured them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.planning.cost.bytes import Decomposition, decompose, stage_peaks
from l3_modeltools.planning.cost.bytes.least_squares import least_squares
from l3_modeltools.schemas import Degrees, Pipeline, Recompute, Strategy
from tests.support.planner import Sizes, setting

OFFSET = ((0, 0, -4, -2, 2, -2, -2, 10, -2, -2, -2, 0, 2, 2, 0, 0),)
SELECTIVE = ((5, 5, 2, 1, 4, 3, 2, 14, 4, 4, 4, 6, 1, 5, 5, 6),)
GATHERING = ((0, 5, 0, 1, 1, 4, 2, 2, 1, 3, 2, 6, 4, 5, 5, 1),)
PEAKS_MIB = (
    *(96643, 60854, 27620, 54533, 100631, 31713, 38874, 146986),
    *(31713, 24553, 24553, 28484, 45016, 33763, 20463, 23531),
)
"""Dry run of a model of 175B (mindformers r1.5.0, toolkit/pipeline_balance/readme.md)."""

SIZES = Sizes(hidden=12288, inner=53248, layers=96, heads=96, groups=16, vocabulary=160000)
DRY = setting(
    SIZES.architecture(),
    Strategy(
        degrees=Degrees(dp=128, tp=8, pp=16, sequence_parallel=True),
        pipeline=Pipeline(offset=OFFSET),
        recompute=Recompute(mode="selective", layers=SELECTIVE, gathering_layers=GATHERING),
    ),
    batches=16,
)


def test_a_stage_left_out_is_foretold_by_the_others() -> None:
    stages = stage_peaks(DRY, [peak * 2**20 for peak in PEAKS_MIB])
    errors = [
        abs(decompose([*stages[:p], *stages[p + 1 :]]).peak_of(stages[p]) / stages[p].peak_bytes - 1)
        for p in range(1, 15)
    ]
    assert sum(errors) / len(errors) < 0.02
    assert max(errors) < 0.05


UNKNOWN = st.floats(1e8, 1e10)


@given(st.lists(UNKNOWN, min_size=7, max_size=7))
def test_linear_peaks_are_taken_apart(unknowns: list[float]) -> None:
    layer, kept, selective, gathering, constant, first, last = unknowns
    true = Decomposition(
        layer=layer,
        kept=2 * kept,
        full=0.0,
        selective=min(selective, kept),
        gathering=min(gathering, kept),
        constant=constant / 10,
        first=first,
        last=last,
    )
    shapes = stage_peaks(DRY, [1.0] * 16)
    stages = stage_peaks(DRY, [true.peak_of(stage) for stage in shapes])
    found = decompose(stages)
    pulled = true.constant / 2**30 / 100  # what the truth costs the fit, so that no residue can be larger
    assert [found.peak_of(stage) for stage in stages] == pytest.approx(
        [stage.peak_bytes for stage in stages], rel=pulled + 1e-4
    )
    assert found.full == 0.0


@given(
    st.lists(st.floats(-9, 9), min_size=3, max_size=3),
    st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=6, max_size=9),
)
def test_least_squares_leaves_residues_across_all_columns(x: list[float], rows: list[list[int]]) -> None:
    values = [sum(a * b for a, b in zip(row, x, strict=True)) + i % 2 for i, row in enumerate(rows)]
    found = least_squares(rows, values, [0.0] * 3)
    residues = [
        sum(a * b for a, b in zip(row, found, strict=True)) - v for row, v in zip(rows, values, strict=True)
    ]
    for column in range(3):
        across = sum(row[column] * r for row, r in zip(rows, residues, strict=True))
        assert across == pytest.approx(0, abs=1e-3)
