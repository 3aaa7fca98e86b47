"""Laws of the seconds of a step; the figures themselves are measured against published runs by a benchmark."""

from math import isclose

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra import load_devices
from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools import preset
from l3_modeltools.planning.cost import Setting, StepTime, time_of
from l3_modeltools.schemas import (
    Calibration,
    Degrees,
    Machine,
    Network,
    Pipeline,
    Practice,
    Recompute,
    Strategy,
    balanced_offset,
)

DEVICES = {device.name: device for device in load_devices()}
H100 = DEVICES["h100-sxm-80"]
FIGURES = Calibration(name="test")
LLAMA = preset("llama-3.1-8b")


def machine(devices: int, *, network: float = 5e10) -> Machine:
    return Machine(
        name="pod",
        device="h100-sxm-80",
        nodes=max(1, devices // 8),
        devices_per_node=min(8, devices),
        network=Network(bytes_per_s_per_device=network),
    )


def setting(strategy: Strategy, *, batch: int = 64, practice: Practice | None = None) -> Setting:
    return Setting(
        architecture=LLAMA,
        strategy=strategy,
        sequence_length=8192,
        global_batch_size=batch,
        practice=practice or Practice(),
    )


def step(strategy: Strategy, *, batch: int = 64, device: Device = H100, network: float = 5e10) -> StepTime:
    where = machine(strategy.degrees.world_size, network=network)
    return time_of(setting(strategy, batch=batch), where, device, FIGURES)


@st.composite
def strategies(draw: st.DrawFn) -> Strategy:
    """Ways to cut 32 layers with 32 heads, 8 of them of keys."""
    tp, pp, dp = (draw(st.sampled_from(sizes)) for sizes in ((1, 2, 4, 8), (1, 2, 3, 4), (1, 2, 8)))
    vp = draw(st.sampled_from((1, 2))) if pp > 1 else 1
    return Strategy(
        degrees=Degrees(tp=tp, pp=pp, dp=dp, vp=vp, sequence_parallel=tp > 1 and draw(st.booleans())),
        pipeline=Pipeline(
            schedule="interleaved" if vp > 1 else "1f1b", offset=balanced_offset(LLAMA.layers, pp, vp)
        ),
        recompute=Recompute(mode=draw(st.sampled_from(("none", "selective", "full")))),
        zero_stage=draw(st.sampled_from((0, 1, 2, 3))),
    )


@given(strategies())
def test_terms_are_no_less_than_nothing_and_sum_to_the_total(strategy: Strategy) -> None:
    found = step(strategy)
    assert all(seconds >= 0 for _, seconds in found.named())
    assert isclose(found.total, sum(seconds for _, seconds in found.named()))


@given(strategies())
def test_a_better_machine_is_never_slower(strategy: Strategy) -> None:
    wider = msgspec.structs.replace(H100, memory_bandwidth_bytes_per_s=2 * H100.memory_bandwidth_bytes_per_s)
    assert step(strategy, device=wider).total <= step(strategy).total
    assert step(strategy, network=1e11).total <= step(strategy).total


@given(strategies())
def test_what_is_made_again_takes_time(strategy: Strategy) -> None:
    none, some, full = (
        step(msgspec.structs.replace(strategy, recompute=Recompute(mode=mode))).total
        for mode in ("none", "selective", "full")
    )
    assert none < some < full


def test_twice_the_micro_batches_take_about_twice_as_long() -> None:
    cut = Strategy(degrees=Degrees(tp=8))
    once, twice = step(cut, batch=32), step(cut, batch=64)
    work = once.total - once.rest - once.optimizer - once.copies
    assert isclose(twice.total - once.total, work, rel_tol=1e-9)


def test_virtual_stages_shorten_the_bubble_and_nothing_else() -> None:
    plain = step(Strategy(degrees=Degrees(pp=4)))
    virtual = step(Strategy(degrees=Degrees(pp=4, vp=4), pipeline=Pipeline(schedule="interleaved")))
    assert isclose(virtual.bubble, plain.bubble / 4)
    assert virtual.products == plain.products


def test_the_fullest_stage_sets_the_pace() -> None:
    even = step(Strategy(degrees=Degrees(pp=4)))
    odd = step(Strategy(degrees=Degrees(pp=4), pipeline=Pipeline(offset=((4, -4, 0, 0),))))
    assert isclose(odd.products, even.products * 12 / 8)


def test_the_arithmetic_is_bounded_by_the_peak() -> None:
    found = step(Strategy(degrees=Degrees(tp=8), recompute=Recompute(mode="none")))
    tokens, layers = 64 * 8192, LLAMA.num_hidden_layers
    flops = 6 * tokens * layers * (4096 * 4096 * 2 + 2 * 4096 * 1024 + 3 * 4096 * 14336) / 8
    assert flops / 9.894e14 < found.products < 3 * flops / 9.894e14


def test_a_format_that_the_device_has_not_is_refused() -> None:
    asked = setting(Strategy(), practice=Practice(compute="fp8"))
    with pytest.raises(UnsatisfiableError, match="no peak for fp8"):
        time_of(asked, machine(1), DEVICES["a100-sxm-80"], FIGURES)
