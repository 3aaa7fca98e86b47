"""A run put together on one rank: its data, what learns, its state and who listens, ready to take steps."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

from l3_modeltools.architectures import flops_per_token
from l3_modeltools.checkpoint import MemoryCopies, Shelf, architecture_sha256, owned_by
from l3_modeltools.data import Loader, Prefetch, open_dataset
from l3_modeltools.memory import available_memory
from l3_modeltools.resilience import Heart, Rhythm, SpikeWatch
from l3_modeltools.runs import RunLayout
from l3_modeltools.schemas import FaultClass
from l3_modeltools.training.drill import Drills
from l3_modeltools.training.guard import Guard, Skips
from l3_modeltools.training.keeper import Keeper
from l3_modeltools.training.learner import Learner, describe, make_learner, name_device
from l3_modeltools.training.live import Live
from l3_modeltools.training.logbook import Logbook
from l3_modeltools.training.loop import Loop, Rates
from l3_modeltools.training.metrics import JsonLines, TensorBoard
from l3_modeltools.training.mfu import find_peak
from l3_modeltools.training.pace import Pace
from l3_modeltools.training.plan import Plan
from l3_modeltools.training.report import Console, Events, Listener
from l3_modeltools.training.sampling import sampler
from l3_modeltools.training.seat import Seat
from l3_modeltools.training.stalls import Stalls
from l3_modeltools.training.state import Begun, RunState
from l3_modeltools.training.step import Stepper
from l3_modeltools.training.steps import is_skipped, micro_batches
from l3_modeltools.training.validate import Validator, validation_samples
from l3_modeltools.training.world import World

__all__ = ["open_loop"]

INTERRUPTING: frozenset[FaultClass] = frozenset(["crash", "killed", "hang", "device_lost", "unknown"])
"""Faults that cost what was done since the last save, so that saves have to be the closer the more there are."""


@contextmanager
def open_loop(
    plan: Plan, *, world: World, seat: Seat, wants_stop: Callable[[], bool]
) -> Iterator[tuple[Loop, Begun]]:
    """Put a run together; yields its loop and how far it is already.

    At the end of the context the last save is on the disk. Raises OgaiError where data, first weights or
    checkpoints cannot be had.
    """
    console = Console(steps=plan.steps, quiet=not world.is_chief)
    logbook = Logbook(
        plan.directory, plan.run.run_id, seat.heart, say=console.say if world.is_chief else None
    )
    loader = _make_loader(plan)
    learner = make_learner(plan, world=world)
    console.say(describe(plan, learner, world=world))
    copies = _copies(plan, learner, world=world, seat=seat)
    drills = Drills(plan.directory, rank=world.rank, ranks=world.size, forget=copies.forget)
    state = _state(plan, learner, drills)
    begun = state.load(world=world, copies=copies, skipped=plan.run.skipped, logbook=logbook)
    done = begun.position.step
    with ExitStack() as stack:
        listeners = stack.enter_context(_listening(plan, console, done=done, world=world))
        saver = stack.enter_context(state.saving(_tell_saved(listeners, logbook)))
        keeper = Keeper(
            saver, state.values, world=world, heart=seat.heart, logbook=logbook, wants_stop=wants_stop
        )
        rows = _rows(plan, world)
        wanted = (step for step in range(done + 1, plan.steps + 1) if not is_skipped(plan.run.skipped, step))
        batches = drills.batches(stack.enter_context(Prefetch(loader, wanted, rows)))
        stepper = _stepper(plan, learner, drills, world, seat.heart)
        if done < plan.steps:
            stepper.warm_up(loader.batch(1, rows[0]))
        skips = Skips(plan.directory, world, plan.run.skipped)
        live = Live(copies=copies, stepper=stepper, skips=skips, position=begun.position, told=begun.last)
        loop = Loop(
            train=plan.train,
            seed=plan.data.seed,
            steps=plan.steps,
            world=world,
            stepper=stepper,
            guard=Guard(
                plan.train.resilience,
                world=world,
                logbook=logbook,
                skips=skips,
                spikes=_spikes(begun),
                rows=rows,
                newest_saved=lambda: keeper.newest_saved(
                    step=live.position.step, tokens=live.position.tokens
                ),
            ),
            batches=batches,
            validator=_validator(plan, learner, loader, world),
            sample=sampler(
                learner.model,
                plan.train.validation,
                Path(plan.data.mixture[0].dataset).parent / "tokenizer",
                seed=plan.data.seed,
                world=world,
            ),
            save=drills.save(keeper),
            live=live,
            stalls=Stalls(world, logbook),
            pace=Pace(_rhythm(plan, begun, world=world, logbook=logbook)),
            listeners=listeners,
            rates=_rates(plan, world),
            heart=seat.heart,
            logbook=logbook,
            wants_stop=wants_stop,
        )
        yield loop, begun


def _tell_saved(listeners: Sequence[Listener], logbook: Logbook) -> Callable[[int, float], None]:
    """Return what tells of a step that is safe, and of the seconds that its save held the loop up."""

    def tell(step: int, seconds: float) -> None:
        logbook.mark("saved", step=step, seconds=seconds)
        for listener in listeners:
            listener.saved(step)

    return tell


def _copies(plan: Plan, learner: Learner, *, world: World, seat: Seat) -> MemoryCopies:
    """Make what copies the state in memory; only where all ranks are on this node, whose files it sees."""
    model = learner.model
    owned = owned_by(
        plan.run.run_id, model.inner, learner.optimizer, sharded=model.is_sharded, ranks=world.size
    )
    files = seat.memory if len(seat.memory) == world.size else ()
    limit_bytes = plan.train.resources.memory_bytes_per_node
    available = partial(available_memory, limit_bytes=limit_bytes, processes=world.size)
    return MemoryCopies(files, seat.local_rank, owned, available=available)


def _spikes(begun: Begun) -> SpikeWatch:
    """Make the watch for spikes as if the run had never stopped."""
    watch = SpikeWatch()
    for metrics in begun.recent:
        if metrics.loss is not None and metrics.grad_norm is not None:
            watch.accept(metrics.loss, metrics.grad_norm)
    return watch


def _rhythm(plan: Plan, begun: Begun, *, world: World, logbook: Logbook) -> Rhythm | None:
    """Make what says when a save is due, where that is measured; it is for the chief to say."""
    if plan.train.checkpoint.interval != "auto" or not world.is_chief:
        return None
    seconds = [metrics.step_s for metrics in begun.recent if metrics.step_s is not None]
    return Rhythm(
        devices=world.size,
        faults=sum(fault.fault_class in INTERRUPTING for fault in logbook.earlier()),
        observed_s=begun.position.step * median(seconds) if seconds else 0.0,
    )


def _make_loader(plan: Plan) -> Loader:
    data = plan.data
    datasets = [open_dataset(Path(part.dataset)) for part in data.mixture]
    wanted = validation_samples(data.sequence_length, global_batch=data.global_batch_size)
    return Loader(datasets, data, plan.train.objective, validation_samples=wanted)


def _state(plan: Plan, learner: Learner, drills: Drills) -> RunState:
    return RunState(
        directory=plan.directory,
        shelf=Shelf(RunLayout(plan.directory).checkpoints),
        run=plan.run.run_id,
        architecture_sha256=architecture_sha256(plan.architecture),
        keep=plan.train.checkpoint,
        model=learner.model.inner,
        optimizer=learner.optimizer,
        before_write=drills.before_write,
    )


def _rows(plan: Plan, world: World) -> tuple[range, ...]:
    return micro_batches(
        global_batch=plan.data.global_batch_size,
        micro_batch=plan.strategy.micro_batch_size,
        rank=world.rank,
        ranks=world.size,
    )


def _stepper(plan: Plan, learner: Learner, drills: Drills, world: World, heart: Heart) -> Stepper:
    return Stepper(
        learner.model,
        drills.objective(learner.objective),
        learner.optimizer,
        world=world,
        max_grad_norm=plan.train.optimizer.max_grad_norm,
        enter=heart.enter_next,
    )


def _validator(plan: Plan, learner: Learner, loader: Loader, world: World) -> Validator:
    return Validator(
        learner.model,
        learner.objective,
        loader.validation,
        world=world,
        samples=loader.validation_samples,
        micro_batch=plan.strategy.micro_batch_size,
    )


def _rates(plan: Plan, world: World) -> Rates:
    """MFU is told where all weights learn in bf16: what it counts, on the peak it is measured by."""
    adapter = plan.train.model is not None and plan.train.model.lora is not None
    if adapter or plan.train.compute.precision != "bf16":
        return Rates(flops_per_token=None, peak=None)
    flops = flops_per_token(plan.architecture, plan.data.sequence_length)
    return Rates(flops_per_token=flops, peak=find_peak(name_device(world.device)))


@contextmanager
def _listening(plan: Plan, console: Console, *, done: int, world: World) -> Iterator[tuple[Listener, ...]]:
    """Yield who is told: on the first rank files, console and engine, on the others nobody."""
    if not world.is_chief:
        yield ()
        return
    listeners: list[Listener] = [
        JsonLines(plan.directory),
        TensorBoard(plan.directory, done=done, say=console.say),
        console,
    ]
    if events := os.environ.get("OGAI_EVENTS"):
        listeners.append(Events(Path(events), steps=plan.steps))
    try:
        yield tuple(listeners)
    finally:
        for listener in listeners:
            listener.close()
