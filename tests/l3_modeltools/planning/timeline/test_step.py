"""The timeline of a real step beside the formula that the search prices by."""

from math import isclose

import pytest
from msgspec.structs import replace

from l0_infra import load_devices
from l3_modeltools import preset
from l3_modeltools.planning import Site
from l3_modeltools.planning.cost import Setting, time_of
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import chunk_times, stage_times
from l3_modeltools.planning.timeline import timeline_of
from l3_modeltools.schemas import (
    Calibration,
    Degrees,
    Machine,
    Network,
    Pipeline,
    Strategy,
    balanced_offset,
)
from tests.support.planner import setting

DEVICE = next(device for device in load_devices() if device.name == "h100-sxm-80")
SITE = Site(
    machine=Machine(name="pod", device=DEVICE.name, nodes=64, network=Network(bytes_per_s_per_device=5e10)),
    device=DEVICE,
    calibration=Calibration(name="test"),
)
LLAMA = preset("llama-3.1-70b")


def cut(pp: int, vp: int = 1) -> Setting:
    strategy = Strategy(
        degrees=Degrees(tp=8, pp=pp, vp=vp),
        pipeline=Pipeline(
            schedule="interleaved" if vp > 1 else "1f1b", offset=balanced_offset(LLAMA.layers, pp, vp)
        ),
    )
    return setting(LLAMA, strategy, batches=8 * pp)


@pytest.mark.parametrize(("pp", "vp"), [(1, 1), (4, 1), (8, 1), (4, 2), (8, 5)])
def test_the_formula_is_near_what_the_turns_come_to(pp: int, vp: int) -> None:
    """It takes the slowest stage for the pace of all; hand-overs may hide in waits, or add to them."""
    found = cut(pp, vp)
    step = time_of(found, SITE.machine, SITE.device, SITE.calibration)
    priced = step.total - step.copies - step.optimizer - step.stragglers - step.rest
    assert timeline_of(found, SITE).length == pytest.approx(priced, rel=0.05)


UNEVEN = [
    # a short first and a short last virtual stage, as the search deals them: nobody is held up
    (14, ((0, 1, 1, 1), (1, 1, 1, 0)), 32, False),
    # the last rank is short in its first virtual stage, and has the output in the other: its turns are unlike
    (14, ((0, 1, 1, 0), (1, 1, 1, 1)), 32, True),
    (40, ((4, 0, 0, -4), (-4, 0, 0, 4)), 8, True),
    (40, ((4, 0, 0, -4), (-4, 0, 0, 4)), 12, True),
    (40, ((4, 0, 0, -4), (-4, 0, 0, 4)), 64, True),
    (40, ((-3, 2, -2, 3), (3, -3, 2, -2)), 10, True),
]


@pytest.mark.parametrize(("layers", "offset", "batches", "held_up"), UNEVEN)
def test_what_virtual_stages_hold_up_is_what_playing_them_shows(
    layers: int, offset: tuple[tuple[int, ...], ...], batches: int, held_up: bool
) -> None:
    """By formula alone the step is shorter; of many micro batches the last rounds are taken for the others."""
    model = replace(LLAMA, num_hidden_layers=layers)
    strategy = Strategy(
        degrees=Degrees(tp=8, pp=4, vp=2), pipeline=Pipeline(schedule="interleaved", offset=offset)
    )
    found = setting(model, strategy, batches=batches)
    step, formula = (
        time_of(found, SITE.machine, SITE.device, SITE.calibration, played=played) for played in (True, False)
    )
    turns = step.total - step.copies - step.optimizer - step.stragglers - step.rest
    assert (step.uneven > 0) == held_up
    assert formula.uneven == 0
    length = timeline_of(found, SITE).length
    assert isclose(turns, length, rel_tol=1e-9) if held_up else length <= turns
    assert formula.total <= step.total


def test_virtual_stages_sum_to_their_stage() -> None:
    found = cut(8, 5)
    rates = Rates.of(SITE.machine, SITE.device, found.practice, SITE.calibration)
    chunks, stages = chunk_times(found, rates), stage_times(found, rates)
    for p, stage in enumerate(stages):
        assert isclose(sum(row[p].total for row in chunks), stage.total)
        assert isclose(sum(row[p].forward for row in chunks), stage.forward)
