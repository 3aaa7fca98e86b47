"""A run that was told to end, until it has: what it does, what it has saved, and what would have to be done again."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.units import format_count
from l3_modeltools import CHECKPOINTS
from l3_modeltools.schemas import Run
from ogai.flows.engine import open_engine
from ogai.flows.train.runs import find
from ogai.flows.train.watch import Scene, Watch

__all__ = ["Stopping", "describe_doing", "describe_left", "watch_end"]

LOOK_S = 0.25


@dataclass(frozen=True, kw_only=True, slots=True)
class Stopping:
    """How far the end of a run is: what it is doing, how long that was waited for, after how long it is killed."""

    doing: str
    passed_s: float
    grace_s: float


def watch_end(run_id: str) -> Iterator[Stopping]:
    """Yield how far the end of a run is that was told to end, several times a second, until it has ended."""
    began = time.monotonic()
    with open_engine() as engine:
        watch = Watch(engine, Path(find(run_id).directory))
        scene = watch.look()
        known = len(scene.marks)
        while not scene.ended:
            yield Stopping(
                doing=describe_doing(scene, known),
                passed_s=time.monotonic() - began,
                grace_s=scene.job.job.limits.grace_s if scene.job else 0.0,
            )
            time.sleep(LOOK_S)
            scene = watch.look()


def describe_doing(scene: Scene, known: int) -> str:
    """Say what a run waits for that was told to end; of its marks, `known` are from before."""
    if scene.run.train.framework != "ogai":
        return "waits for its processes to end"
    saved = [mark.step for mark in scene.marks[known:] if mark.mark == "saved"]
    told = f"saved step {saved[-1]}; " if saved else ""
    if any(mark.mark == "ended" for mark in scene.marks[known:]):
        return f"{told}its processes end"
    ranks = scene.ranks.ranks if scene.ranks else ()
    step = ranks[0].step if ranks else 0
    match ranks[0].phase if ranks else "":
        case "setup":
            return f"{told}sets up, then ends"
        case "data" | "forward" | "backward" | "optimizer":
            return f"{told}finishes step {step}, then saves its state"
        case "validate":
            return f"{told}finishes its validation, then saves its state"
        case "paused":
            return f"{told}waits for the disk to take its state"
        case "save":
            return f"{told}saves its state after step {step}"
    return f"{told}its processes end" if saved else "saves its state, if there is any yet"


def describe_left(run: Run) -> str:
    """Say what is saved of a run that ended, and what is not."""
    if not run.step:
        return "it had done no step"
    if run.train.framework != "ogai":
        return f"what its trainer saved lies in {Path(run.directory) / CHECKPOINTS}"
    if not run.checkpoints:
        return f"nothing is saved: it would begin anew, {format_count(run.step, 'step')} are lost"
    saved = run.checkpoints[-1].step
    if saved >= run.step:
        return f"its state is saved at step {saved}"
    return f"its state is saved at step {saved}: {format_count(run.step - saved, 'step')} will be done again"
