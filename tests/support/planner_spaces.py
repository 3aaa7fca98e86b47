"""Small planning problems, and their best strategy found by pricing every one there is."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import cast

import msgspec

from l0_infra import load_devices
from l3_modeltools.planning.cost import Setting, time_of
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import stage_times
from l3_modeltools.planning.search import Decided, Limits, Problem
from l3_modeltools.schemas import (
    Architecture,
    Calibration,
    Degrees,
    Experts,
    GroupedAttention,
    Kept,
    Machine,
    Mlp,
    Network,
    Pipeline,
    Practice,
    Recompute,
    Strategy,
    balanced_offset,
    batch_faults,
    cut_faults,
)

H100 = next(device for device in load_devices() if device.name == "h100-sxm-80")
FIGURES = Calibration(name="test", launch_s=1e-9)
Table = tuple[tuple[int, ...], ...]


def small_problem(random: Random) -> Problem:
    """A problem with few layers, on few accelerators, of which some things are decided."""
    devices, pp = random.choice([(2, 2), (4, 2), (4, 4), (8, 4), (8, 2), (6, 3), (2, 1), (4, None)])
    return Problem(
        architecture=small_architecture(random),
        sequence_length=random.choice([512, 2048]),
        global_batch_size=random.choice([4, 8, 12, 24]),
        practice=small_practice(random),
        machine=small_machine(devices, random),
        device=H100,
        calibration=FIGURES,
        decided=Decided(
            pp=pp,
            cp=random.choice([1, 1, None]),
            vp=random.choice([1, 1, 2, None]) if pp != 1 else None,
            sequence_parallel=random.choice([True, False]),
            zero_stage=random.choice([0, 1, 2, 3]),
            micro_batch_size=random.choice([1, 2]),
        ),
    )


def small_architecture(random: Random) -> Architecture:
    """Two to five layers; some with experts, some with a layer that predicts further, some with a large vocabulary."""
    sparse = random.random() < 0.25
    hidden = random.choice([512, 1024])
    experts = Experts(
        n_routed_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=2 * hidden,
        first_k_dense_replace=random.choice([0, 1]),
    )
    return Architecture(
        name="small",
        model_type="llama",
        hidden_size=hidden,
        num_hidden_layers=random.choice([2, 3, 4, 5]),
        num_nextn_predict_layers=1 if sparse and random.random() < 0.5 else 0,
        vocab_size=random.choice([4096, 65536]),
        max_position_embeddings=4096,
        attention=GroupedAttention(num_attention_heads=8, num_key_value_heads=4),
        mlp=Mlp(intermediate_size=4 * hidden),
        experts=experts if sparse else None,
    )


def expert_problem(random: Random) -> Problem:
    """One with many large experts, few tokens and a slow network: what is done once a step takes long.

    How experts lie, the ZeRO stage and mostly the number of stages are left to the search.
    """
    devices, pp = random.choice([(2, 2), (4, 2), (4, 2), (8, 4), (8, 2), (4, None)])
    problem = small_problem(random)
    experts = Experts(
        n_routed_experts=16,
        num_experts_per_tok=2,
        moe_intermediate_size=1024 * random.choice([1, 4]),
        n_shared_experts=random.choice([0, 1]),
        first_k_dense_replace=random.choice([0, 1, 2]),
    )
    return replace(
        problem,
        architecture=msgspec.structs.replace(
            problem.architecture,
            experts=experts,
            num_hidden_layers=random.choice([3, 4]),
            num_nextn_predict_layers=random.choice([0, 0, 1]),
        ),
        sequence_length=128,
        calibration=msgspec.structs.replace(FIGURES, step_s=1e-6),
        global_batch_size=random.choice([2, 4, 8]),
        machine=msgspec.structs.replace(
            small_machine(devices, random),
            network=Network(bytes_per_s_per_device=random.choice([1e9, 5e9])),
        ),
        decided=Decided(
            tp=random.choice([1, None]),
            pp=pp,
            cp=1,
            vp=random.choice([1, 1, 2]) if pp and pp < 4 else None,
            sequence_parallel=random.choice([True, False]),
            micro_batch_size=random.choice([1, 2]),
        ),
    )


def small_practice(random: Random) -> Practice:
    """With and without fused attention, dropout, and the like."""
    return Practice(
        flash_attention=random.random() < 0.5,
        overlap_dp=random.random() < 0.5,
        selective_keeps=random.choice(["all_but_attention_core", "every_second_product"]),
        kept=Kept(dropout=random.random() < 0.5, stage_buffers=random.random() < 0.3),
    )


def small_machine(devices: int, random: Random) -> Machine:
    """One node or several."""
    node = random.choice([one for one in (1, 2, devices) if devices % one == 0])
    return Machine(
        name="pod",
        device=H100.name,
        nodes=devices // node,
        devices_per_node=node,
        network=Network(bytes_per_s_per_device=random.choice([5e9, 5e10])),
    )


def with_memory(problem: Problem, memory_bytes: int) -> Problem:
    """The same with more or less memory on each accelerator."""
    return replace(problem, device=msgspec.structs.replace(problem.device, memory_bytes=memory_bytes))


def every_strategy(problem: Problem) -> Iterator[Strategy]:
    """All strategies that are legal and keep to what is decided, by trying all numbers."""
    world = range(1, problem.machine.devices + 1)
    for dp, tp, pp, cp, ep in product(world, repeat=5):
        if dp * tp * pp * cp != problem.machine.devices or (dp * cp * tp) % ep:
            continue
        for vp, cut, zero in product(range(1, problem.architecture.layers + 1), (False, True), range(4)):
            degrees = Degrees(dp=dp, tp=tp, pp=pp, cp=cp, ep=ep, vp=vp, sequence_parallel=cut)
            if any(degrees.faults()) or pp * vp > problem.architecture.layers:
                continue
            for micro in range(1, problem.global_batch_size + 1):
                yield from _ordered(
                    problem, Strategy(degrees=degrees, zero_stage=cast(int, zero), micro_batch_size=micro)
                )


def _ordered(problem: Problem, outline: Strategy) -> Iterator[Strategy]:
    degrees, decided = outline.degrees, problem.decided
    wishes = {name: getattr(decided, name) for name in ("dp", "tp", "pp", "cp", "ep", "vp")}
    if any(wish not in (None, getattr(degrees, name)) for name, wish in wishes.items()):
        return
    if degrees.tp > 1 and decided.sequence_parallel not in (None, degrees.sequence_parallel):
        return
    if decided.micro_batch_size not in (None, outline.micro_batch_size):
        return
    if decided.zero_stage not in (None, outline.zero_stage):
        return
    if any(batch_faults(outline, problem.global_batch_size)):
        return
    for schedule in ("1f1b", "interleaved", "zero_bubble"):
        if schedule == "zero_bubble" and (degrees.pp == 1 or degrees.vp > 2):
            continue  # published with one and two virtual stages
        for offset in _offsets(problem, degrees):
            one = msgspec.structs.replace(outline, pipeline=Pipeline(schedule=schedule, offset=offset))
            if any(one._schedule_faults()) or any(
                cut_faults(one, problem.architecture, problem.sequence_length)
            ):
                continue
            yield from _recomputed(problem, one)


def _offsets(problem: Problem, degrees: Degrees) -> Iterator[Table]:
    """All tables of layers; virtual stages hold the even share or one more, of several kinds the even table."""
    places, layers, model = degrees.pp * degrees.vp, problem.architecture.layers, problem.architecture
    several = model.experts is not None and model.experts.first_k_dense_replace > 0
    if degrees.vp > 1 and (several or model.num_nextn_predict_layers):
        yield balanced_offset(layers, degrees.pp, degrees.vp)
        return
    rest = layers % places
    reach = range(layers) if degrees.vp == 1 else range(2)
    low = layers // places
    extras = [range(1 - low, layers)] * places if degrees.vp == 1 else [reach] * places
    for flat in product(*extras):
        if sum(flat) == rest:
            yield tuple(flat[v * degrees.pp : (v + 1) * degrees.pp] for v in range(degrees.vp))


def _recomputed(problem: Problem, strategy: Strategy) -> Iterator[Strategy]:
    setting = problem.setting(strategy)
    counts = [count for row in setting.stages for count in row]
    ways = [[(a, b) for a in range(count + 1) for b in range(count + 1 - a)] for count in counts]
    pp = strategy.degrees.pp
    for chosen in product(*ways):
        full, partly = ([one[way] for one in chosen] for way in (0, 1))
        if not _runs(problem.limits, full, partly, counts):
            continue
        table = [tuple(tuple(row[at : at + pp]) for at in range(0, len(row), pp)) for row in (full, partly)]
        if any(full):
            recompute = Recompute(mode="full", layers=table[0], selective_layers=table[1])
        elif any(partly):
            recompute = Recompute(mode="selective", layers=table[1])
        else:
            recompute = Recompute()
        yield msgspec.structs.replace(strategy, recompute=recompute)


def _runs(limits: Limits, full: list[int], partly: list[int], counts: list[int]) -> bool:
    if limits.recomputing == "by_stage":
        return True
    if any(partly):
        return not any(full) and partly == counts
    if limits.recomputing == "all":
        return full == counts or not any(full)
    most = max(full)
    return full == [min(most, count) for count in counts]


def priced(problem: Problem, strategy: Strategy) -> tuple[float, int]:
    """Seconds, by formula, and peak bytes of a strategy."""
    setting: Setting = problem.setting(strategy)
    step = time_of(setting, problem.machine, problem.device, problem.calibration, played=False)
    return step.total, memory_of(setting).peak


def best_of(problem: Problem, costs: list[tuple[Strategy, float, int]]) -> float | None:
    """Seconds of the fastest strategy that fits; where stages recompute as they like, none more than it must."""
    fitting = [one for one in costs if one[2] <= problem.device.memory_bytes]
    if problem.limits.recomputing != "by_stage":
        return min((seconds for _, seconds, _ in fitting), default=None)
    least: dict[Strategy, tuple[float, float]] = {}
    for strategy, seconds, _ in fitting:
        key = msgspec.structs.replace(strategy, recompute=Recompute())
        one = work_of(problem, strategy), seconds
        least[key] = min(one, least.get(key, one))
    return min((seconds for _, seconds in least.values()), default=None)


def work_of(problem: Problem, strategy: Strategy) -> float:
    """Seconds that all stages together work for a micro batch."""
    rates = Rates.of(problem.machine, problem.device, problem.practice, problem.calibration)
    return sum(stage.total for stage in stage_times(problem.setting(strategy), rates))
