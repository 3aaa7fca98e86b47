"""What a training would take, before anything is queued: what is trained, on what, and memory by term."""

from collections.abc import Iterator
from pathlib import PurePath

import click

from l0_infra.core.units import format_bytes, format_count
from l3_modeltools import TrainingPlan
from ogai.flows.train import Planned
from ogai.render import Output, emit, print_fields
from ogai.render.moment import brief
from ogai.render.train.words import count, number

__all__ = ["print_plan", "print_rehearsal"]

Field = tuple[str, str]


def print_plan(planned: Planned) -> None:
    """Print the plan on stderr, where it goes first."""
    print_fields(tuple(describe_plan(planned)), stderr=True)


def print_rehearsal(planned: Planned, output: Output) -> None:
    """Print the plan on stdout, or as a document the training with everything filled in."""
    emit(planned.train, output, lambda _: print_fields(tuple(describe_plan(planned))))
    click.echo("nothing was queued; the training with everything filled in: add -o yaml", err=True)


def describe_plan(planned: Planned) -> Iterator[Field]:
    """Yield names and values."""
    train, resources = planned.train, planned.train.resources
    yield "where", f"this machine ({planned.destination.name})"
    if planned.plan is None:
        tasks = format_count(resources.tasks_per_node, "task")
        yield "trainer", f"a command of yours, {tasks} on {format_count(resources.nodes, 'node')}"
        return
    plan = planned.plan
    name = getattr(train.model.architecture, "name", "") if train.model else ""
    learnt = (
        ""
        if plan.trained_parameters == plan.parameters.total
        else f", {number(plan.trained_parameters)} trained"
    )
    yield "model", f"{name}, {count(plan.parameters.total)} parameters{learnt}"
    yield "data", f"{number(plan.total_tokens)} tokens, {train.steps} steps of {count(plan.tokens_per_step)}"
    yield from describe_epochs(planned, plan)
    yield "ranks", f"{plan.ranks} on {plan.device}, {train.compute.precision}"
    yield "memory", f"{format_bytes(plan.memory.total)} a rank: {describe_memory(plan)}"
    if plan.step_s is not None:
        yield "time", f"{plan.step_s:.3g} s a step, {brief(plan.step_s * (train.steps or 0))} in all"
    yield (
        "disk",
        f"{format_bytes(plan.disk_bytes)} at most, {format_bytes(plan.checkpoint_bytes)} a checkpoint",
    )
    yield from (("" if index else "because", reason) for index, reason in enumerate(plan.reasons))


def describe_epochs(planned: Planned, plan: TrainingPlan) -> Iterator[Field]:
    """Say how often each data set is gone through."""
    mixture = planned.train.data.mixture if planned.train.data else ()
    names = [PurePath(part.dataset).parent.name for part in mixture]
    yield (
        "",
        "goes through "
        + ", ".join(f"{epochs:.2g} times {name}" for epochs, name in zip(plan.epochs, names, strict=True)),
    )


def describe_memory(plan: TrainingPlan) -> str:
    """Write the terms, the largest first; those below a hundredth of all are left out."""
    terms = sorted(plan.memory.named(), key=lambda term: -term[1])
    return ", ".join(
        f"{name} {format_bytes(size)}" for name, size in terms if size * 100 >= plan.memory.total
    )
