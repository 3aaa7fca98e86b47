"""Puts together what a step needs, from what a rank stands on."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from l3_modeltools.architectures import flops_per_token
from l3_modeltools.resilience import Rhythm, SpikeWatch
from l3_modeltools.runs import Sample
from l3_modeltools.schemas import FaultClass
from l3_modeltools.training.ground import Ground
from l3_modeltools.training.guard import Guard, Skips
from l3_modeltools.training.keeper import Keeper
from l3_modeltools.training.live import Live
from l3_modeltools.training.loop import Batches, Loop, Rates
from l3_modeltools.training.pace import Pace
from l3_modeltools.training.plan import Plan
from l3_modeltools.training.report import RunListener
from l3_modeltools.training.sampling import sampler
from l3_modeltools.training.stalls import Stalls
from l3_modeltools.training.step import Stepper
from l3_modeltools.training.validate import Validator

__all__ = ["make_loop"]

INTERRUPTING: frozenset[FaultClass] = frozenset(["crash", "killed", "hang", "device_lost", "unknown"])
"""Faults that cost what was done since the last save, so that saves have to be the closer the more there are."""


def make_loop(
    ground: Ground,
    keeper: Keeper,
    batches: Batches,
    listeners: Sequence[RunListener],
    wants_stop: Callable[[], bool],
) -> Loop:
    """Make the loop of one rank; `batches` are its micro batches, `listeners` hear of each step."""
    plan, begun = ground.plan, ground.begun
    stepper = _warm_stepper(ground)
    skips = Skips(plan.directory, keeper.write, plan.run.skipped)
    live = Live(copies=ground.copies, stepper=stepper, skips=skips, position=begun.position, told=begun.last)
    return Loop(
        train=plan.train,
        seed=plan.data.seed,
        steps=plan.steps,
        world=ground.world,
        stepper=stepper,
        guard=_guard(ground, keeper, live),
        batches=batches,
        validator=_validator(ground),
        sample=_sampler(ground),
        save=ground.drills.save(keeper),
        live=live,
        stalls=Stalls(ground.world, ground.logbook),
        pace=Pace(_rhythm(ground)),
        listeners=listeners,
        rates=_rates(plan),
        heart=ground.heart,
        logbook=ground.logbook,
        wants_stop=wants_stop,
    )


def _warm_stepper(ground: Ground) -> Stepper:
    """Make what takes steps; where there are any to take, one is tried and forgotten first."""
    learner = ground.learner
    stepper = Stepper(
        learner.model,
        ground.drills.objective(learner.objective),
        learner.optimizer,
        world=ground.world,
        max_grad_norm=ground.plan.train.optimizer.max_grad_norm,
        enter=ground.heart.enter_next,
    )
    if ground.done < ground.plan.steps:
        stepper.warm_up(ground.loader.batch(1, ground.rows[0]))
    return stepper


def _guard(ground: Ground, keeper: Keeper, live: Live) -> Guard:
    def newest_saved() -> int:
        return keeper.newest_saved(step=live.position.step, tokens=live.position.tokens)

    return Guard(
        ground.plan.train.resilience,
        world=ground.world,
        logbook=ground.logbook,
        skips=live.skips,
        spikes=_spikes(ground),
        rows=ground.rows,
        newest_saved=newest_saved,
    )


def _spikes(ground: Ground) -> SpikeWatch:
    """Make the watch for spikes as if the run had never stopped."""
    watch = SpikeWatch()
    for metrics in ground.begun.recent:
        if metrics.loss is not None and metrics.grad_norm is not None:
            watch.accept(metrics.loss, metrics.grad_norm)
    return watch


def _rhythm(ground: Ground) -> Rhythm | None:
    """Make what says when a save is due, where that is measured; it is for the chief to say."""
    if ground.plan.train.checkpoint.interval != "auto" or not ground.world.is_chief:
        return None
    seconds = [metrics.step_s for metrics in ground.begun.recent if metrics.step_s is not None]
    return Rhythm(
        devices=ground.world.size,
        faults=sum(fault.fault_class in INTERRUPTING for fault in ground.logbook.earlier()),
        observed_s=ground.done * median(seconds) if seconds else 0.0,
    )


def _validator(ground: Ground) -> Validator:
    learner, loader = ground.learner, ground.loader
    return Validator(
        learner.model,
        learner.objective,
        loader.validation,
        world=ground.world,
        samples=loader.validation_samples,
        micro_batch=ground.plan.strategy.micro_batch_size,
    )


def _sampler(ground: Ground) -> Callable[[int], Iterator[Sample]]:
    data = ground.plan.data
    return sampler(
        ground.learner.model,
        ground.plan.train.validation,
        Path(data.mixture[0].dataset).parent / "tokenizer",
        seed=data.seed,
        world=ground.world,
    )


def _rates(plan: Plan) -> Rates:
    """MFU is told where all weights learn in bf16: what it counts, on the peak it is measured by."""
    adapter = plan.train.model is not None and plan.train.model.lora is not None
    if adapter or plan.train.compute.precision != "bf16":
        return Rates(flops_per_token=None, peak=None)
    flops = flops_per_token(plan.architecture, plan.data.sequence_length)
    expected = plan.run.expected
    return Rates(flops_per_token=flops, peak=expected.peak_flop_per_s if expected else None)
