"""Laws of the seconds of a step; the figures themselves are measured against published runs by a benchmark."""

from math import isclose
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra import load_devices
from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools import preset
from l3_modeltools.planning.cost import Setting, StepTime, time_of
from l3_modeltools.planning.cost.seconds import Rates
from l3_modeltools.planning.cost.seconds.exchange import all_to_all_s, gather_s, hand_over_s
from l3_modeltools.planning.cost.seconds.kernels import flash_attention_s, grouped_matmul_s, matmul_s
from l3_modeltools.planning.cost.seconds.layer import products_of
from l3_modeltools.schemas import (
    Architecture,
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


def setting(
    strategy: Strategy,
    *,
    batch: int = 64,
    practice: Practice | None = None,
    architecture: Architecture = LLAMA,
) -> Setting:
    return Setting(
        architecture=architecture,
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
    work = once.total - once.rest - once.optimizer - once.copies - once.stragglers
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


V3 = preset("deepseek-v3")


def rates(
    *, devices: int = 64, network: float = 5e10, practice: Practice | None = None, device: Device = H100
) -> Rates:
    return Rates.of(machine(64, network=network), device, practice or Practice(), FIGURES)


def test_a_ring_uses_every_port_of_the_nodes_that_it_passes() -> None:
    """64 ranks next to each other bring eight ports of each node; eight ranks, one to a node, bring one."""
    known = rates()
    dense, sparse = known.group(64, 1), known.group(8, 8)
    assert (dense.local, dense.domains, sparse.local, sparse.domains) == (8, 8, 1, 8)
    port = 5e10 * FIGURES.network_share
    assert known.ring(dense)[0] == min(known.link, 8 * port)
    assert known.ring(sparse)[0] == port
    assert gather_s(known, 1e9, sparse) > gather_s(known, 1e9, dense) * 63 / 64
    assert gather_s(known, 1e9, known.group(1, 1)) == 0.0


def test_within_a_domain_the_network_is_not_asked() -> None:
    for network in (1e9, 1e11):
        known = rates(network=network)
        assert gather_s(known, 1e9, known.group(8, 1)) == gather_s(rates(), 1e9, known.group(8, 1))
        assert hand_over_s(known, 1e8, 4) == hand_over_s(rates(), 1e8, 4)
    assert hand_over_s(rates(network=1e9), 1e8, 8) > 1e8 / 1e9


def test_tokens_for_all_experts_pass_links_and_network_at_once() -> None:
    known = rates()
    near, far = known.group(8, 1), known.group(64, 1)
    assert all_to_all_s(known, 8e8, near) == pytest.approx(7e8 / known.link, rel=0.05)
    assert all_to_all_s(known, 8e8, far) == pytest.approx(7e8 / known.network, rel=0.05)
    assert all_to_all_s(known, 8e8, known.group(1, 1)) == 0.0


@given(*(st.integers(16, 65536) for _ in range(3)))
def test_a_product_takes_longer_than_at_its_peak_and_than_a_smaller_one(m: int, n: int, k: int) -> None:
    known = rates()
    found = matmul_s(known, m, n, k)
    assert found > 2 * m * n * k / known.matmul
    assert found <= matmul_s(known, m + 1, n, k) and found <= matmul_s(known, m, n, k + 1)
    assert grouped_matmul_s(known, 8, m, n, k) <= 8 * found


def test_long_sequences_and_usual_heads_keep_attention_at_its_rate() -> None:
    known = rates()
    forward, backward = flash_attention_s(known, tokens=131072, keys=131072, heads=32, size=128)
    flops = 2 * 131072 * 131072 * 32 * 128
    assert forward == pytest.approx(flops / known.attention_forward, rel=0.01)
    assert backward == pytest.approx(2.5 * flops / known.attention_backward, rel=0.01)
    short, _ = flash_attention_s(known, tokens=131072, keys=380, heads=32, size=128)
    assert short / forward == pytest.approx(2 * 380 / 131072, rel=0.01)


@pytest.mark.parametrize("name", ["a100-sxm-80", "h100-sxm-80", "b200-180", "mi300x", "h20-96"])
def test_later_attention_is_never_slower(name: str) -> None:
    device = next(one for one in DEVICES.values() if one.name.startswith(name))
    told = [rates(device=device, practice=Practice(flash_generation=number)) for number in (1, 2, 3)]
    assert told[0].attention_forward < told[1].attention_forward <= told[2].attention_forward
    assert told[0].attention_backward < told[1].attention_backward <= told[2].attention_backward


def test_experts_are_dealt_all_tokens_and_no_more() -> None:
    """Every token reaches eight of 256 experts, of which a rank of an expert-parallel group of 64 holds four."""
    cut = setting(Strategy(degrees=Degrees(dp=64, ep=64)), architecture=V3)
    routed = [one for one in products_of(cut, "sparse") if one.many > 1]
    assert [one.many for one in routed] == [4, 4]
    assert all(one.m * one.many == 8192 * 8 for one in routed)
    assert [(one.n, one.k) for one in routed] == [(4096, 7168), (7168, 2048)]
    assert {one.many for one in products_of(cut, "dense")} == {1}


def test_experts_cost_exchanges_that_a_dense_model_has_not() -> None:
    def expert_exchange(ep: int, architecture: Architecture = V3) -> float:
        cut = setting(Strategy(degrees=Degrees(dp=64, ep=ep)), batch=64, architecture=architecture)
        return time_of(cut, machine(64), H100, FIGURES).expert_exchange

    assert expert_exchange(1) == 0.0 < expert_exchange(8) < expert_exchange(64)
    assert expert_exchange(1, LLAMA) == 0.0


def test_context_parallel_ranks_exchange_keys_and_values() -> None:
    plain = step(Strategy(degrees=Degrees(dp=8)), batch=8)
    cut = step(Strategy(degrees=Degrees(cp=8)), batch=8, network=1e9)
    assert plain.context_exchange == 0.0 <= cut.context_exchange
    wide = setting(Strategy(degrees=Degrees(tp=8, cp=8)), batch=1)
    assert time_of(wide, machine(64, network=1e8), H100, FIGURES).context_exchange > 0


def test_keys_hide_behind_a_late_host_too_so_that_faster_attention_costs_nothing() -> None:
    """Where the host is late a layer takes as long whatever the device can do: what hides behind it must as well."""
    late, figures = Strategy(degrees=Degrees(tp=8, cp=8)), msgspec.structs.replace(FIGURES, launch_s=1e-4)
    peak = tuple(msgspec.structs.replace(one, flop_per_s=2 * one.flop_per_s) for one in H100.peak)
    achieved = tuple(msgspec.structs.replace(one, flop_per_s=2 * one.flop_per_s) for one in H100.achieved)
    found = [
        time_of(setting(late, batch=1), machine(64, network=2e9), device, figures)
        for device in (H100, msgspec.structs.replace(H100, peak=peak, achieved=achieved))
    ]
    assert found[0].idle > 0 and found[0].context_exchange > 0
    assert found[1].total <= found[0].total


def test_zero_bubble_puts_the_gradients_of_weights_into_the_gap() -> None:
    def bubble(schedule: Literal["1f1b", "zero_bubble"]) -> float:
        return step(Strategy(degrees=Degrees(pp=4), pipeline=Pipeline(schedule=schedule))).bubble

    assert 0 < bubble("zero_bubble") < 0.6 * bubble("1f1b")


def test_what_overlaps_costs_less_and_never_less_than_the_rest() -> None:
    for zero in (0, 1, 2, 3):
        strategy = Strategy(degrees=Degrees(dp=64), zero_stage=zero)

        def total(overlap: bool, strategy: Strategy = strategy) -> float:
            cut = setting(strategy, batch=64, practice=Practice(overlap_dp=overlap))
            return time_of(cut, machine(64), H100, FIGURES).total

        alone = step(Strategy(), batch=1)
        assert total(True) < total(False)
        assert total(True) > alone.total - alone.optimizer


def test_layers_recomputed_by_stage_count_where_they_are() -> None:
    """The slowest stage sets the pace: recomputing on the others costs only their part of the bubble."""

    def told(*layers: int) -> StepTime:
        table = (layers,)
        return step(Strategy(degrees=Degrees(pp=4), recompute=Recompute(mode="full", layers=table)))

    none, last, every = told(0, 0, 0, 0), told(0, 0, 0, 8), told(8, 8, 8, 8)
    assert none.recompute == 0.0 < last.recompute == every.recompute
    assert none.total < last.total < every.total
    assert none.bubble == last.bubble < every.bubble
