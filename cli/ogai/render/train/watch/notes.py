"""The lower lines: the last checkpoint, the last fault and what was done, the restarts, what the model wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from l0_infra.core.errors import printable
from l3_modeltools.schemas import TrainingFault
from ogai.flows.train.watch import Scene
from ogai.render.moment import ago, brief
from ogai.render.train.watch.lines import labelled
from ogai.render.train.watch.standing import class_words, restarts_spent
from ogai.render.train.words import done

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["draw_checkpoint", "draw_fault", "draw_log", "draw_restarts", "draw_sample"]


def draw_checkpoint(scene: Scene, width: int) -> Iterator[Text]:
    """Say what a restart would begin with."""
    run, policy = scene.run, scene.run.train.checkpoint
    if not run.checkpoints:
        if run.train.framework == "ogai" and scene.history.loss.values and not scene.ended:
            yield from labelled("checkpoint", "none yet", width)
        return
    step = run.checkpoints[-1].step
    when = f", {ago(scene.now - scene.saved_at)}" if scene.saved_at is not None else ""
    after, steps = step + policy.every_steps - step % policy.every_steps, run.train.steps
    due = policy.interval == "steps" and not scene.ended and (steps is None or after < steps)
    yield from labelled("checkpoint", f"step {step}{when}{f'; next at {after}' if due else ''}", width)


def draw_fault(scene: Scene, width: int, *, most: int) -> Iterator[Text]:
    """Tell of the last fault: when and what, then what was done and what it cost."""
    if not scene.faults:
        return
    fault = scene.faults[-1]
    at = fault.occurred_at or fault.detected_at
    where = f" in step {fault.step}" if fault.step is not None else ""
    told = f"{class_words(fault.fault_class)}{where}, {ago(scene.now - at)}"
    summary = f": {fault.summary}" if fault.summary else ""
    yield from labelled("last fault", told + summary, width, most=most, style="bold red")
    yield from labelled("", f"{done(fault.taken)}{describe_cost(fault)}", width, most=1)


def describe_cost(fault: TrainingFault) -> str:
    """Say what a fault cost, as far as it is known."""
    parts = []
    if fault.resumed_at is not None:
        parts.append(brief(fault.resumed_at - (fault.occurred_at or fault.detected_at)))
    if fault.redone_steps is not None:
        parts.append(f"{fault.redone_steps} {'step' if fault.redone_steps == 1 else 'steps'} done again")
    return f"; cost {', '.join(parts)}" if parts else ""


def draw_restarts(scene: Scene, width: int) -> Iterator[Text]:
    """Say how much of the budget of restarts is spent, once any is."""
    policy, spent = scene.run.train.resilience, restarts_spent(scene)
    faults = f"; {len(scene.faults)} faults in all" if len(scene.faults) > 1 else ""
    if spent:
        told = f"{spent} of {policy.max_restarts} within {brief(policy.window_s)}{faults}"
        yield from labelled("restarts", told, width)


def draw_sample(scene: Scene, width: int) -> Iterator[Text]:
    """Show what the model wrote last."""
    if scene.samples:
        sample = scene.samples[-1]
        yield from labelled("sample", f"at step {sample.step}: {sample.prompt}{sample.text}", width)


def draw_log(scene: Scene, most: int) -> Iterator[Text]:
    """Show the last lines that it printed."""
    from rich.text import Text

    for line in scene.log[-most:] if most > 0 else ():
        yield Text(printable(line.rpartition("\r")[2].expandtabs(4).replace("\n", " ")))
