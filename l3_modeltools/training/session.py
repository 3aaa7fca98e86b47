"""A run put together on one rank: its data, what learns, its state and who listens, ready to take steps."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from l3_modeltools.architectures import flops_per_token
from l3_modeltools.checkpoint import Shelf, architecture_sha256
from l3_modeltools.data import Loader, Prefetch, open_dataset
from l3_modeltools.runs import RunLayout
from l3_modeltools.training.drill import Drills
from l3_modeltools.training.learner import Learner, describe, make_learner, name_device
from l3_modeltools.training.loop import Loop, Rates
from l3_modeltools.training.metrics import JsonLines, TensorBoard
from l3_modeltools.training.mfu import find_peak
from l3_modeltools.training.plan import Plan
from l3_modeltools.training.report import Console, Events, Listener
from l3_modeltools.training.sampling import sampler
from l3_modeltools.training.state import RunState
from l3_modeltools.training.step import Stepper
from l3_modeltools.training.steps import Position, is_skipped, micro_batches
from l3_modeltools.training.validate import Validator, validation_samples
from l3_modeltools.training.world import World

__all__ = ["open_loop"]


@contextmanager
def open_loop(plan: Plan, *, world: World, wants_stop: Callable[[], bool]) -> Iterator[tuple[Loop, Position]]:
    """Put a run together; yields its loop and how far it is already.

    At the end of the context the last save is on the disk. Raises OgaiError where data, first weights or
    checkpoints cannot be had.
    """
    console = Console(steps=plan.steps, quiet=not world.is_chief)
    loader = _make_loader(plan)
    learner = make_learner(plan, world=world)
    console.say(describe(plan, learner, world=world))
    drills = Drills(plan.directory, rank=world.rank, ranks=world.size, forget=lambda: None)
    state = _state(plan, learner, drills)
    begun = state.load(world=world, say=console.say)
    with ExitStack() as stack:
        listeners = stack.enter_context(_listening(plan, console, done=begun.step, world=world))

        def tell_saved(step: int) -> None:
            for listener in listeners:
                listener.saved(step)

        save = drills.save(stack.enter_context(state.saving(tell_saved)))
        rows = _rows(plan, world)
        wanted = (
            step for step in range(begun.step + 1, plan.steps + 1) if not is_skipped(plan.run.skipped, step)
        )
        batches = drills.batches(stack.enter_context(Prefetch(loader, wanted, rows)))
        stepper = _stepper(plan, learner, drills, world)
        if begun.step < plan.steps:
            stepper.warm_up(loader.batch(1, rows[0]))
        loop = Loop(
            train=plan.train,
            skipped=plan.run.skipped,
            seed=plan.data.seed,
            steps=plan.steps,
            world=world,
            stepper=stepper,
            batches=batches,
            validator=_validator(plan, learner, loader, world),
            sample=sampler(
                learner.model,
                plan.train.validation,
                Path(plan.data.mixture[0].dataset).parent / "tokenizer",
                seed=plan.data.seed,
                world=world,
            ),
            save=save,
            listeners=listeners,
            rates=_rates(plan, world),
            wants_stop=wants_stop,
        )
        yield loop, begun


def _make_loader(plan: Plan) -> Loader:
    data = plan.data
    datasets = [open_dataset(Path(part.dataset)) for part in data.mixture]
    wanted = validation_samples(data.sequence_length, global_batch=data.global_batch_size)
    return Loader(datasets, data, plan.train.objective, validation_samples=wanted)


def _state(plan: Plan, learner: Learner, drills: Drills) -> RunState:
    return RunState(
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


def _stepper(plan: Plan, learner: Learner, drills: Drills, world: World) -> Stepper:
    return Stepper(
        learner.model,
        drills.objective(learner.objective),
        learner.optimizer,
        world=world,
        max_grad_norm=plan.train.optimizer.max_grad_norm,
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
    listeners: list[Listener] = [JsonLines(plan.directory), TensorBoard(plan.directory, done=done), console]
    if events := os.environ.get("OGAI_EVENTS"):
        listeners.append(Events(Path(events), steps=plan.steps))
    try:
        yield tuple(listeners)
    finally:
        for listener in listeners:
            listener.close()
