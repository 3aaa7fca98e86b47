"""A run put together on one rank: its data, model, optimizer and state, ready to take steps."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.optim import Optimizer

from l3_modeltools.architectures import flops_per_token
from l3_modeltools.checkpoint import Saver, Shelf, architecture_sha256, training_state
from l3_modeltools.data import Loader, PreparedDataset, open_dataset
from l3_modeltools.schemas import Checkpoint
from l3_modeltools.training.feed import Feed
from l3_modeltools.training.loop import Loop, Rates
from l3_modeltools.training.metrics import JsonLines, TensorBoard
from l3_modeltools.training.mfu import find_peak
from l3_modeltools.training.model import build_model
from l3_modeltools.training.objectives import Objective, objective_of
from l3_modeltools.training.optimizer import make_optimizer
from l3_modeltools.training.parallel import ParallelModel, spread
from l3_modeltools.training.plan import Plan
from l3_modeltools.training.report import Console, Events, Listener
from l3_modeltools.training.resume import resume
from l3_modeltools.training.sampling import sampler
from l3_modeltools.training.step import Stepper
from l3_modeltools.training.steps import micro_batches
from l3_modeltools.training.validate import Validator, validation_samples
from l3_modeltools.training.world import World

__all__ = ["open_loop"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Learner:
    """What changes in training, and what it is changed by."""

    model: ParallelModel
    objective: Objective
    optimizer: Optimizer


@contextmanager
def open_loop(plan: Plan, *, world: World, wants_stop: Callable[[], bool]) -> Iterator[tuple[Loop, int]]:
    """Put a run together; yields its loop and the step after which it goes on.

    At the end of the context the last save is on the disk. Raises OgaiError where data, first weights or
    checkpoints cannot be had.
    """
    console = Console(steps=plan.steps, quiet=not world.is_chief)
    datasets = tuple(open_dataset(Path(part.dataset)) for part in plan.data.mixture)
    learner = make_learner(plan, world=world)
    console.say(describe(plan, learner, world=world))
    shelf = Shelf(plan.directory / "checkpoints")
    identity = architecture_sha256(plan.architecture)
    done = resume(
        shelf,
        learner.model.inner,
        learner.optimizer,
        run=plan.run.run_id,
        architecture_sha256=identity,
        world=world,
        say=console.say,
    )
    with ExitStack() as stack:
        listeners = _listeners(plan, console, done=done) if world.is_chief else ()
        for listener in listeners:
            stack.callback(listener.close)
        saver = stack.enter_context(
            Saver(
                shelf,
                run=plan.run.run_id,
                architecture_sha256=identity,
                keep=plan.train.checkpoint,
                on_saved=lambda manifest: _tell_saved(listeners, manifest),
            )
        )
        loop = _loop(plan, learner, datasets, saver, listeners, world=world, wants_stop=wants_stop)
        stack.callback(loop.feed.close)
        yield loop, done


def make_learner(plan: Plan, *, world: World) -> Learner:
    """Build the model with its first weights and spread it; its reference for DPO is taken before that."""
    model = build_model(plan.train, plan.architecture, seed=plan.data.seed).to(world.device)
    objective = objective_of(plan.train, model)
    parallel = spread(model, world=world, strategy=plan.strategy, compute=plan.train.compute)
    optimizer = make_optimizer(plan.train.optimizer, model)
    return Learner(model=parallel, objective=objective, optimizer=optimizer)


def describe(plan: Plan, learner: Learner, *, world: World) -> str:
    """Say in two lines what is trained, on what and where."""
    parameters = list(learner.model.inner.parameters())
    total = sum(one.numel() for one in parameters)
    trained = sum(one.numel() for one in parameters if one.requires_grad)
    which = "all trained" if trained == total else f"{trained:,} of them trained"
    sharing = f"ZeRO {plan.strategy.zero_stage} (FSDP)" if learner.model.is_sharded else "copies (DDP)"
    ranks = "1 rank" if world.size == 1 else f"{world.size} ranks, {sharing}"
    tokens = plan.data.global_batch_size * plan.data.sequence_length
    data = ", ".join(Path(part.dataset).parent.name for part in plan.data.mixture if part.weight)
    return (
        f"run {plan.run.run_id}: {plan.architecture.name}, {total:,} parameters, {which}; {ranks} on"
        f" {_device_name(world.device)}, {plan.train.compute.precision}\n"
        f"{plan.steps} steps of {tokens:,} tokens of {data}"
    )


def _loop(
    plan: Plan,
    learner: Learner,
    datasets: Sequence[PreparedDataset],
    saver: Saver,
    listeners: Sequence[Listener],
    *,
    world: World,
    wants_stop: Callable[[], bool],
) -> Loop:
    data, micro_batch = plan.data, plan.strategy.micro_batch_size
    wanted = validation_samples(data.sequence_length, global_batch=data.global_batch_size)
    loader = Loader(datasets, data, plan.train.objective, validation_samples=wanted)
    rows = micro_batches(
        global_batch=data.global_batch_size, micro_batch=micro_batch, rank=world.rank, ranks=world.size
    )
    model, objective = learner.model, learner.objective

    def save(*, step: int, tokens: int) -> None:
        saver.save(training_state(model.inner, learner.optimizer), step=step, tokens=tokens)

    return Loop(
        train=plan.train,
        skipped=plan.run.skipped,
        seed=data.seed,
        steps=plan.steps,
        world=world,
        stepper=Stepper(
            model,
            objective,
            learner.optimizer,
            world=world,
            max_grad_norm=plan.train.optimizer.max_grad_norm,
        ),
        feed=Feed(loader.batch, rows),
        validator=Validator(
            model,
            objective,
            loader.validation,
            world=world,
            samples=loader.validation_samples,
            micro_batch=micro_batch,
        ),
        sample=sampler(
            model, plan.train.validation, datasets[0].directory / "tokenizer", seed=data.seed, world=world
        ),
        save=save,
        listeners=listeners,
        rates=_rates(plan, world),
        wants_stop=wants_stop,
    )


def _rates(plan: Plan, world: World) -> Rates:
    """MFU is told where all weights learn in bf16: what it counts, on the peak it is measured by."""
    adapter = plan.train.model is not None and plan.train.model.lora is not None
    if adapter or plan.train.compute.precision != "bf16":
        return Rates(flops_per_token=None, peak=None)
    flops = flops_per_token(plan.architecture, plan.data.sequence_length)
    return Rates(flops_per_token=flops, peak=find_peak(_device_name(world.device)))


def _listeners(plan: Plan, console: Console, *, done: int) -> tuple[Listener, ...]:
    files = (JsonLines(plan.directory), TensorBoard(plan.directory, done=done))
    events = os.environ.get("OGAI_EVENTS")
    return (*files, console, Events(Path(events), steps=plan.steps)) if events else (*files, console)


def _tell_saved(listeners: Sequence[Listener], manifest: Checkpoint) -> None:
    for listener in listeners:
        listener.saved(manifest.step)


def _device_name(device: torch.device) -> str:
    if device.type == "cpu":
        return f"cpu ({torch.get_num_threads()} threads a rank)"
    return str(getattr(torch, device.type).get_device_name(device))
