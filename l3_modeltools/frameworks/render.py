"""From a run to the job that carries it: its framework says which program trains, this the rest."""

from collections.abc import Sequence

from l0_infra.core.errors import UnsatisfiableError
from l2_scheduler.schemas import Job, Limits, Retry
from l3_modeltools.frameworks.command import command_launch
from l3_modeltools.frameworks.containers import Container
from l3_modeltools.frameworks.launch import GRACE_S, Launch
from l3_modeltools.frameworks.ogai import ogai_launch
from l3_modeltools.schemas import Run

__all__ = ["render_job"]


def render_job(
    run: Run, *, python: str, inputs: Sequence[str] = (), container: Container | None = None
) -> Job:
    """Render the job of a run whose `train` is resolved: absolute paths, strategy filled in.

    `python` is the interpreter on the machines of the job; `inputs` are the content hashes of its data sets'
    manifests, `sha256:…`; `container` is what runs images there, None when nothing does. Raises UnsatisfiableError
    for a framework that is not there yet, and for an image without a program that runs it.
    """
    launch = _launch(run, python, container)
    resilience = run.train.resilience
    return Job(
        name=run.run_id,
        command=launch.command,
        directory=launch.directory,
        environment=dict(launch.environment),
        secrets=launch.secrets,
        resources=launch.resources,
        queue=run.train.queue,
        limits=Limits(grace_s=GRACE_S),
        retry=Retry(
            limit=resilience.max_restarts,
            backoff_s=resilience.backoff_s,
            final_exit_codes=launch.final_exit_codes,
            restartable=True,
        ),
        inputs=tuple(inputs),
    )


def _launch(run: Run, python: str, container: Container | None) -> Launch:
    train = run.train
    if train.framework == "ogai":
        return ogai_launch(run, python)
    if train.command is not None:
        return command_launch(run, train.command, python, container)
    raise UnsatisfiableError(
        "train.framework",
        found=f"`{train.framework}`, which is not there yet",
        expected="`ogai` or `command`",
        hint="start that trainer yourself with `framework: command`; see docs/trainers.md",
    )
