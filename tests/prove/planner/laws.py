"""What must hold of the cost of any legal strategy: of its bytes, of its seconds, of its turns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from math import isclose, isfinite
from random import Random
from typing import Literal

import msgspec
from msgspec.structs import replace as changed

from l3_modeltools.planning import Site
from l3_modeltools.planning.cost import Setting, StepTime, time_of
from l3_modeltools.planning.cost.bytes import StepMemory, memory_of
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import stage_times
from l3_modeltools.planning.explain import explain_stage, explain_step
from l3_modeltools.planning.timeline import Pace, simulate, timeline_of
from l3_modeltools.schemas import Recompute, Strategy, cut_faults
from planner.cases import Case
from tests.support.formulas import every, worked_out

__all__ = ["LAWS", "Law"]

Law = Callable[[Case, Random], Iterator[str]]

MODES: tuple[Literal["none", "selective", "full"], ...] = ("none", "selective", "full")
MOST_TURNS = 6_000
"""Turns of a step that are worked out one by one."""
ROUNDING = 1e-9
MANY_COPIES = 8


def bytes_add_up(case: Case, random: Random) -> Iterator[str]:
    memory = memory_of(case.setting, case.site.device.memory_bytes)
    for number, stage in enumerate(memory.stages):
        terms = dict(stage.named())
        if stage.total != sum(terms.values()):
            yield f"stage {number}: {stage.total} is not the sum of {terms}"
        if any(type(value) is not int or value < 0 for value in terms.values()):
            yield f"stage {number}: {terms}"
        if not stage.allocated <= stage.reserved <= stage.total <= memory.peak:
            yield f"stage {number}: {stage.allocated}, {stage.reserved}, {stage.total}, {memory.peak}"
        if not 0 < stage.in_flight <= case.setting.microbatches:
            yield f"stage {number}: {stage.in_flight} micro batches in flight"
    if memory.missing != max(0, memory.peak - case.site.device.memory_bytes):
        yield f"{memory.missing} bytes are missing of {memory.peak}"


def cuts_hold_everything(case: Case, random: Random) -> Iterator[str]:
    """Degrees multiply to the world, stages hold all layers, a copy's micro batches make up the batch."""
    degrees, setting = case.strategy.degrees, case.setting
    if degrees.dp * degrees.tp * degrees.pp * degrees.cp != case.site.machine.devices:
        yield f"{degrees} on {case.site.machine.devices}"
    stages = memory_of(setting).stages
    if sum(stage.layers for stage in stages) != setting.architecture.layers or len(stages) != degrees.pp:
        yield f"stages of {[stage.layers for stage in stages]} layers"
    if setting.microbatches * case.strategy.micro_batch_size * degrees.dp != setting.global_batch_size:
        yield f"{setting.microbatches} micro batches"


def seconds_add_up(case: Case, random: Random) -> Iterator[str]:
    step = _step(case.setting, case.site)
    terms = dict(step.named())
    if any(not isfinite(value) or value < 0 for value in terms.values()):
        yield f"{terms}"
    if not isfinite(step.total) or step.total <= 0:
        yield f"a step of {step.total} s"
    if not isclose(step.total, sum(terms.values()), rel_tol=ROUNDING):
        yield f"{step.total} is not the sum of {terms}"


def better_is_never_slower(case: Case, random: Random) -> Iterator[str]:
    """More FLOP/s, and more bytes/s of memory, of links and of the network, each alone and all at once.

    Not asked of zero bubble where the host is late, for gradients of weights that end sooner fill less of the gap; nor
    where another stage becomes the slowest, whose exchanges between copies are the step's then.
    """
    before, factor = _step(case.setting, case.site), random.choice([1.001, 1.1, 2.0, 10.0])
    better = {name: make(case.site, factor) for name, make in BETTER.items()}
    together = case.site
    for make in BETTER.values():
        together = make(together, factor)
    for name, site in {**better, "all of them": together}.items():
        after = _step(case.setting, site)
        if case.strategy.pipeline.schedule == "zero_bubble" and after.idle:
            continue
        if _slowest(case.setting, site) != _slowest(case.setting, case.site):
            continue
        if after.total > before.total * (1 + ROUNDING):
            yield f"{factor} times {name}: {before.total} s become {after.total} s"


def _slowest(setting: Setting, site: Site) -> int:
    stages = stage_times(setting, Rates.of(site.machine, site.device, setting.practice, site.calibration))
    return max(range(len(stages)), key=lambda p: stages[p].total)


def _flops(site: Site, factor: float) -> Site:
    device = site.device
    peak = tuple(changed(one, flop_per_s=one.flop_per_s * factor) for one in device.peak)
    achieved = tuple(changed(one, flop_per_s=one.flop_per_s * factor) for one in device.achieved)
    return replace(site, device=changed(device, peak=peak, achieved=achieved))


def _bandwidth(site: Site, factor: float) -> Site:
    rate = site.device.memory_bandwidth_bytes_per_s * factor
    return replace(site, device=changed(site.device, memory_bandwidth_bytes_per_s=rate))


def _links(site: Site, factor: float) -> Site:
    links = tuple(
        changed(link, bandwidth_bytes_per_s=link.bandwidth_bytes_per_s * factor) for link in site.device.links
    )
    return replace(site, device=changed(site.device, links=links))


def _network(site: Site, factor: float) -> Site:
    network = site.machine.network
    assert network
    rate = network.bytes_per_s_per_device * factor
    return replace(site, machine=changed(site.machine, network=changed(network, bytes_per_s_per_device=rate)))


BETTER: Mapping[str, Callable[[Site, float], Site]] = {
    "the FLOP/s": _flops,
    "the memory's bytes/s": _bandwidth,
    "the links' bytes/s": _links,
    "the network's bytes/s": _network,
}


def recomputing_saves_bytes(case: Case, random: Random) -> Iterator[str]:
    """All of a model at once, and one layer more of each stage."""
    settings = [_with(case.setting, recompute=Recompute(mode=mode)) for mode in MODES]
    peaks = [memory_of(setting).peak for setting in settings]
    if peaks != sorted(peaks, reverse=True):
        yield f"none, selective, full: {peaks}"
    for mode in MODES[1:]:
        fewer = [[random.randint(0, held) for held in row] for row in case.setting.stages]
        more = [
            [min(held, kept + 1) for kept, held in zip(*rows, strict=True)]
            for rows in zip(fewer, case.setting.stages, strict=True)
        ]
        few, many = (
            memory_of(_with(case.setting, recompute=Recompute(mode=mode, layers=tuple(map(tuple, table)))))
            for table in (fewer, more)
        )
        yield from _kept_less(mode, few, many)


def _kept_less(mode: str, few: StepMemory, many: StepMemory) -> Iterator[str]:
    for number, (one, other) in enumerate(zip(few.stages, many.stages, strict=True)):
        if other.activations > one.activations:
            yield f"{mode}, stage {number}: {one.activations} bytes kept, {other.activations} with a layer more"


def recomputing_takes_time(case: Case, random: Random) -> Iterator[str]:
    steps = [
        _step(_with(case.setting, recompute=Recompute(mode=mode)), case.site).recompute for mode in MODES
    ]
    if steps != sorted(steps) or steps[0] != 0.0:
        yield f"none, selective, full: {steps} s are done again"


def sharding_saves_bytes(case: Case, random: Random) -> Iterator[str]:
    """What lasts: always of the optimizer, and of all without a pipeline, which adds gradients up whole.

    The peak too, but for few copies: what ZeRO 2 and 3 have on its way may be more than the half that they save.
    """
    memories = [memory_of(_with(case.setting, zero_stage=stage)) for stage in (0, 1, 2, 3)]
    peaks, degrees = [memory.peak for memory in memories], case.strategy.degrees
    lasting = [
        [stage.weights + stage.gradients + stage.master_and_moments for stage in memory.stages]
        for memory in memories
    ]
    moments = [[stage.master_and_moments for stage in memory.stages] for memory in memories]
    for name, held in (
        ("master weights and moments", moments),
        ("states", lasting if degrees.pp == 1 else []),
    ):
        if any(list(each) != sorted(each, reverse=True) for each in zip(*held, strict=True)):
            yield f"{name} of ZeRO stages 0 to 3: {held}"
    many = degrees.pp == 1 and degrees.dp * degrees.cp >= MANY_COPIES and degrees.ep == 1
    sharded = 4 if many and (degrees.tp == 1 or case.strategy.vocab_parallel) else 2
    if peaks[:sharded] != sorted(peaks[:sharded], reverse=True):
        yield f"peaks of ZeRO stages: {peaks[:sharded]}"


def turns_come_to_the_formula(case: Case, random: Random) -> Iterator[str]:
    """One stage: to the second. Like stages without hand-overs: m + (pp - 1) / vp times one (arXiv:2104.04473)."""
    setting, degrees = case.setting, case.strategy.degrees
    if 3 * setting.microbatches * degrees.vp * degrees.pp > MOST_TURNS:
        return
    rates = Rates.of(case.site.machine, case.site.device, setting.practice, case.site.calibration)
    stages, turns = stage_times(setting, rates), timeline_of(setting, case.site)
    slowest = max(stage.total for stage in stages) * setting.microbatches
    if turns.length < slowest * (1 - ROUNDING):
        yield f"all turns take {turns.length} s, the slowest stage's alone {slowest} s"
    if degrees.pp == 1:
        step = _step(setting, case.site)
        priced = step.total - step.stragglers - step.rest - step.optimizer - step.copies
        priced += setting.microbatches * stages[0].copies
        if not isclose(turns.length, priced, rel_tol=ROUNDING):
            yield f"turns end after {turns.length} s, the formula says {priced} s"
    elif case.strategy.pipeline.schedule != "zero_bubble" and setting.microbatches % degrees.pp == 0:
        alike = stages[0].forward / degrees.vp, stages[0].backward / degrees.vp
        forward, backward = (((one,) * degrees.pp,) * degrees.vp for one in alike)
        pace = Pace(forward=forward, backward=backward, weights=backward)
        length = simulate(pace, case.strategy.pipeline.schedule, setting.microbatches).length
        priced = stages[0].total * (setting.microbatches + (degrees.pp - 1) / degrees.vp)
        if not isclose(length, priced, rel_tol=ROUNDING):
            yield f"like stages' turns end after {length} s, the formula says {priced} s"


def turns_are_all_taken(case: Case, random: Random) -> Iterator[str]:
    """Every rank takes each micro batch through each of its virtual stages, one at a time, never more than it has."""
    setting, degrees = case.setting, case.strategy.degrees
    if 3 * setting.microbatches * degrees.vp * degrees.pp > MOST_TURNS:
        return
    turns = timeline_of(setting, case.site)
    kinds = "FBW" if case.strategy.pipeline.schedule == "zero_bubble" else "FB"
    wanted = {
        (kind, batch, chunk)
        for kind in kinds
        for batch in range(setting.microbatches)
        for chunk in range(degrees.vp)
    }
    for rank, events in enumerate(turns.ranks):
        if len(events) != len(wanted) or {(one.kind, one.batch, one.chunk) for one in events} != wanted:
            yield f"rank {rank} takes {len(events)} turns of {len(wanted)}"
        if any(one.end > other.start + ROUNDING for one, other in pairwise(events)):
            yield f"rank {rank} takes two turns at once"
        if not -ROUNDING <= turns.idle(rank) <= 1:
            yield f"rank {rank} waits {turns.idle(rank)} of the step"


def formulas_give_their_numbers(case: Case, random: Random) -> Iterator[str]:
    """Every printed formula of the seconds and of one stage's bytes; the wholes are what the planner says."""
    stage = random.randrange(case.strategy.degrees.pp)
    step, memory = explain_step(case.setting, case.site), explain_stage(case.setting, stage)
    for whole in (step, memory):
        for one in every(whole):
            found = worked_out(one)
            if not isclose(found, one.value, rel_tol=ROUNDING, abs_tol=1e-15):
                yield f"{one.name} = {one.formula} = {found}, printed {one.value}"
    told = {part.name: part.value for part in step.parts}
    if told != dict(_step(case.setting, case.site).named()):
        yield f"explained {told}"
    terms = {part.name: part.value for part in memory.parts}
    if terms != dict(memory_of(case.setting).stages[stage].named()):
        yield f"explained of stage {stage} {terms}"


def documents_come_back(case: Case, random: Random) -> Iterator[str]:
    """A strategy is legal, and is the same after it was written and read."""
    found = msgspec.json.decode(msgspec.json.encode(case.strategy), type=Strategy)
    if found != case.strategy:
        yield f"read back as {found}"
    architecture, length = case.setting.architecture, case.setting.sequence_length
    yield from map(str, cut_faults(case.strategy, architecture, length))


def _with(setting: Setting, **fields: object) -> Setting:
    return replace(setting, strategy=changed(setting.strategy, **fields))


def _step(setting: Setting, site: Site) -> StepTime:
    return time_of(setting, site.machine, site.device, site.calibration)


LAWS: Mapping[str, Law] = {
    "bytes by term are whole, none is negative, they add up": bytes_add_up,
    "degrees, layers and micro batches make up the whole": cuts_hold_everything,
    "seconds by term are finite, none is negative, they add up": seconds_add_up,
    "a better machine is never slower": better_is_never_slower,
    "recomputing more never needs more bytes": recomputing_saves_bytes,
    "recomputing more never does less again": recomputing_takes_time,
    "a higher ZeRO stage never needs more bytes": sharding_saves_bytes,
    "turns end when the formula says, where it is exact": turns_come_to_the_formula,
    "every rank takes all its turns, one at a time": turns_are_all_taken,
    "printed formulas give the printed numbers": formulas_give_their_numbers,
    "a document that is written is read as the same": documents_come_back,
}
