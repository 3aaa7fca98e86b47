"""From a wish to a run in the queue: resolve, plan, make the run's directory, submit its job."""

import os
import platform
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from l0_infra.core.errors import DocumentError
from l0_infra.core.store import ogai_home
from l2_scheduler.schemas import Job
from l3_modeltools import (
    TrainingPlan,
    create_run,
    find_container,
    framework_faults,
    hash_inputs,
    hold_run,
    plan_training,
    render_job,
    require_inputs,
    update_run,
)
from l3_modeltools.schemas import Expected, Run, Train
from ogai.flows.job.queue import rehearse as rehearse_job
from ogai.flows.job.queue import submit as submit_job
from ogai.flows.train.place import Destination, find_place, runs_folder
from ogai.flows.train.resolve import Resolved, resolve
from ogai.flows.train.site import find_site
from ogai.flows.train.wish import Wish, read_wish
from ogai.version import __version__

__all__ = ["Planned", "plan", "queue", "queue_again", "submit"]

RECORDED = ("torch", "transformers", "tokenizers", "peft", "numpy")
"""Packages whose versions a run keeps."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """What would be queued: the training with everything filled in, its plan, its job; no plan for a command."""

    train: Train
    plan: TrainingPlan | None
    destination: Destination
    job: Job


def submit(
    train: Train | Path | str,
    *,
    name: str | None = None,
    on: str | None = None,
    settings: Sequence[str] = (),
    base: Path | None = None,
) -> Run:
    """Plan a training, make its run and put it into the queue; `train` is a document or its file.

    Raises DocumentError, UsageError or UnsatisfiableError for what can never run; nothing is made then.
    """
    return queue(plan(read_wish(train, name=name, settings=settings, base=base), on=on))


def plan(wish: Wish, *, on: str | None = None) -> Planned:
    """Fill a training in and judge whether it can run; changes nothing, raises as `submit` does."""
    destination = find_place(on)
    with wish.placed():
        resolved = resolve(wish.train, base=wish.base, home=ogai_home(os.environ))
        require_degrees(resolved.train)
        drawn = draw(resolved, destination)
    train = drawn.train if drawn else resolved.train
    job = rehearsed_job(train)
    return Planned(train=train, plan=drawn, destination=destination, job=job)


def require_degrees(train: Train) -> None:
    """Raise DocumentError, naming them, for degrees that the framework cannot run."""
    if train.framework != "ogai" and (faults := list(framework_faults(train))):
        raise DocumentError("train", faults)


def draw(resolved: Resolved, destination: Destination) -> TrainingPlan | None:
    """Plan a training by ogai's own trainer; what another one needs is not known here."""
    if resolved.train.framework != "ogai" or resolved.architecture is None:
        return None
    return plan_training(
        resolved.train,
        architecture=resolved.architecture,
        init_from=resolved.init_from,
        datasets=resolved.datasets,
        place=destination.place,
        site=find_site(destination.place, resolved.train.resources),
    )


def rehearsed_job(train: Train) -> Job:
    """Render the job of a run that has no directory yet, and let the queue judge it."""
    runs = runs_folder()
    job = job_of(
        Run(run_id=train.name, train=train, directory=str(runs / train.name), submitted_at=time.time())
    )
    begins = str(runs) if job.directory == str(runs / train.name) else job.directory
    rehearse_job(msgspec.structs.replace(job, directory=begins))
    return job


def queue(planned: Planned) -> Run:
    """Make the run's directory and put its job into the queue; return the run.

    Killed in between it leaves a run without a job, which `ogai train resume` queues.
    """
    run = create_run(
        runs_folder(),
        planned.train,
        submitted_at=time.time(),
        inputs=planned.job.inputs,
        environment=recorded_versions(),
        expected=expected_of(planned),
    )
    with hold_run(Path(run.directory)):
        return queue_again(run)


def expected_of(planned: Planned) -> Expected | None:
    """Return what the plan foretells, to be kept with the run."""
    plan = planned.plan
    if plan is None:
        return None
    memory = plan.memory.total if plan.device == "cpu" else plan.memory.device
    site = find_site(planned.destination.place, planned.train.resources)
    if site is None:
        return Expected(memory_bytes=memory)
    peaks = {peak.precision: peak.flop_per_s for peak in site.device.peak}
    return Expected(
        memory_bytes=memory,
        step_s=plan.step_s,
        device=site.device.name,
        peak_flop_per_s=peaks.get("bf16"),
        calibration=site.calibration.name if plan.step_s is not None else None,
    )


def queue_again(run: Run) -> Run:
    """Put a job for a run into the queue, and note its id in the run.

    Raises UnsatisfiableError for a run whose data sets are not those it began with.
    """
    require_inputs(run)
    status = submit_job(job_of(run))[0]
    return update_run(
        Path(run.directory),
        lambda kept: msgspec.structs.replace(kept, job_ids=(*kept.job_ids, status.job_id)),
    )


def job_of(run: Run) -> Job:
    """Render the job of a run for this machine and this Python."""
    programs = {name: shutil.which(name) for name in ("apptainer", "singularity", "enroot")}
    return render_job(
        run, python=sys.executable, inputs=hash_inputs(run.train), container=find_container(programs)
    )


def recorded_versions() -> dict[str, str]:
    """Return the versions of what a run of this machine runs with."""
    found = {"ogai": __version__, "python": platform.python_version()}
    for name in RECORDED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
