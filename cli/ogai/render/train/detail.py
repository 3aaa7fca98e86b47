"""`ogai train show`: everything about one run, and what to type next."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from l0_infra.core.units import format_bytes, format_count
from l3_modeltools import Met, Sample
from l3_modeltools.schemas import Architecture, MixturePart, Run, TrainingFault
from ogai.render.moment import ago, brief, local_time
from ogai.render.table import print_fields
from ogai.render.train.table import describe_step
from ogai.render.train.words import describe_work, done, loss, number

__all__ = ["MET_NAMES", "describe_training", "print_run", "quantity"]

Field = tuple[str, str]
FAULTS_SHOWN = 5
MET_NAMES = {"step": "step time", "memory": "peak of a rank"}


def print_run(run: Run, samples: Sequence[Sample], now: float, met: Sequence[Met] = ()) -> None:
    """Print it on stdout."""
    print_fields(
        [
            *describe_state(run, now),
            *describe_training(run),
            *describe_figures(run, now),
            *describe_met(met),
            *describe_faults(run, now),
            *describe_files(run),
            *describe_samples(samples),
            *zip(("Next", "", ""), next_commands(run), strict=False),
        ]
    )


def describe_state(run: Run, now: float) -> Iterator[Field]:
    """Say how it stands, where and since when."""
    yield f"Run {run.run_id}", run.train.name
    yield "state", f"{run.state}: {run.reason}" if run.reason else run.state
    yield "step", describe_step(run)
    yield "where", run.cluster or "this machine"
    yield "jobs", ", ".join(run.job_ids) or "none"
    yield "submitted", f"{local_time(run.submitted_at, now)} ({ago(now - run.submitted_at)})"
    if run.ended_at is not None:
        yield "ended", f"{local_time(run.ended_at, now)} ({ago(now - run.ended_at)})"
    if run.restarts:
        yield "restarts", str(len(run.restarts))


def describe_training(run: Run) -> Iterator[Field]:
    """Say what is trained on what."""
    train = run.train
    yield "framework", train.framework
    if train.model is not None and isinstance(train.model.architecture, Architecture):
        begun = f", begun from {train.model.init_from}" if train.model.init_from else ""
        adapter = f", LoRA of rank {train.model.lora.r}" if train.model.lora else ""
        yield "model", f"{train.model.architecture.name}{begun}{adapter}"
    if train.data is not None:
        yield "data", ", ".join(map(describe_part, train.data.mixture))
        yield (
            "batch",
            f"{train.data.global_batch_size} samples of {train.data.sequence_length} tokens a step",
        )
    if train.strategy is not None:
        yield "ranks", f"{train.strategy.degrees.world_size} (dp {train.strategy.degrees.dp})"


def describe_part(part: MixturePart) -> str:
    """Name a data set of a mixture by its folder, with its weight where that is not 1."""
    name = PurePath(part.dataset).parent.name or part.dataset
    return name if part.weight == 1 else f"{name} × {part.weight:g}"


def describe_figures(run: Run, now: float) -> Iterator[Field]:
    """Say its newest numbers, those that are known."""
    figures = run.figures
    if figures.loss is not None:
        yield "loss", f"{loss(figures.loss)} nats"
    if figures.validation_loss is not None:
        yield "validation loss", f"{loss(figures.validation_loss)} nats"
    if figures.tokens is not None:
        yield "tokens", number(figures.tokens)
    if figures.tokens_per_s is not None:
        yield "speed", f"{number(figures.tokens_per_s)} tokens/s"
    if told := describe_work(figures, now):
        yield "at work", told


def describe_met(met: Sequence[Met]) -> Iterator[Field]:
    """Set what was planned beside what was measured: `step time  0.52 s, planned 0.50 s (-3.8 %)`."""
    for one in met:
        names = f"{quantity(one, one.measured)}, planned {quantity(one, one.planned)} ({one.error:+.1%})"
        yield MET_NAMES[one.what], names


def quantity(one: Met, value: float) -> str:
    """Write a number of a plan in its unit."""
    return format_bytes(round(value)) if one.unit == "bytes" else f"{value:.3g} s"


def describe_faults(run: Run, now: float) -> Iterator[Field]:
    """Tell the newest few faults: when and in which step, what it was, what was done, what it cost."""
    if not run.faults_seen:
        return
    newest = run.faults_seen[: -FAULTS_SHOWN - 1 : -1]
    yield (
        "faults",
        str(len(run.faults_seen)) + (", the newest:" if len(run.faults_seen) > len(newest) else ""),
    )
    for fault in newest:
        yield "", describe_fault(fault, now)


def describe_fault(fault: TrainingFault, now: float) -> str:
    """Write `12:03:04 step 120, killed: rank 1 … → ranks started again; 4.2s until the next step, 1 step redone`."""
    at = fault.detected_at if fault.occurred_at is None else fault.occurred_at
    step = "" if fault.step is None else f" step {fault.step}"
    told = f"{local_time(at, now)}{step}, {fault.fault_class.replace('_', ' ')}"
    cost = [f"{brief(fault.resumed_at - at)} until the next step"] if fault.resumed_at is not None else []
    if fault.redone_steps:
        cost.append(f"{format_count(fault.redone_steps, 'step')} redone")
    summary = f": {fault.summary}" if fault.summary else ""
    return "; ".join(filter(None, (f"{told}{summary} → {done(fault.taken)}", ", ".join(cost))))


def describe_files(run: Run) -> Iterator[Field]:
    """Say where things lie."""
    yield "directory", run.directory
    if run.checkpoints:
        yield "checkpoints", ", ".join(f"step {saved.step}" for saved in run.checkpoints)


def describe_samples(samples: Sequence[Sample]) -> Iterator[Field]:
    """Show what the model wrote last."""
    for sample in samples:
        if sample.step == samples[-1].step:
            yield f"after step {sample.step}", sample.prompt + sample.text


def next_commands(run: Run) -> Iterator[str]:
    """Yield what makes sense now."""
    if run.state == "COMPLETED" and run.train.framework == "ogai":
        yield f'ogai train sample {run.run_id} "TEXT"'
        yield f"ogai train export {run.run_id} --to DIRECTORY"
    elif run.state in ("RUNNING", "SUSPENDED"):
        yield f"ogai train watch {run.run_id}"
        yield f"ogai train stop {run.run_id}"
    elif run.state == "PENDING" and run.job_ids:
        yield f"ogai job why {run.job_ids[-1]}"
    elif run.state == "CANCELLED":
        yield f"ogai train resume {run.run_id}"
    elif run.state != "COMPLETED":
        yield f"ogai train logs {run.run_id}"
        yield f"ogai train resume {run.run_id}"
    if run.faults_seen or run.restarts:
        yield f"ogai train ettr {run.run_id}"
