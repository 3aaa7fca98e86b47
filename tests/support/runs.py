"""Trainings and runs for tests, small and whole."""

from pathlib import Path

import msgspec

from l2_scheduler.schemas import Job, JobState, JobStatus, Resources
from l3_modeltools.schemas import (
    MixturePart,
    Preset,
    Run,
    Train,
    TrainedModel,
    TrainerCommand,
    TrainingData,
)

SUBMITTED_AT = 1000.0


def a_train(name: str = "small", **fields: object) -> Train:
    """Return a training of 40 steps by ogai's trainer: 4 samples of 8 tokens each."""
    train = Train(
        name=name,
        model=TrainedModel(architecture=Preset(name="tiny-llama")),
        data=TrainingData(mixture=(MixturePart(dataset="d"),), sequence_length=8, global_batch_size=4),
        steps=40,
    )
    return msgspec.structs.replace(train, **fields)


def a_command(*argv: str, name: str = "mine", tasks: int = 1, **fields: object) -> Train:
    """Return a training by a command of the user's."""
    return Train(
        name=name,
        framework="command",
        command=msgspec.structs.replace(TrainerCommand(argv=argv), **fields),
        resources=Resources(tasks_per_node=tasks),
    )


def a_run(train: Train | None = None, *, directory: Path = Path("/runs/small-1"), **fields: object) -> Run:
    """Return the run of a training that was just submitted."""
    run = Run(
        run_id=directory.name,
        train=train or a_train(),
        directory=str(directory),
        submitted_at=SUBMITTED_AT,
    )
    return msgspec.structs.replace(run, **fields)


def a_status(state: JobState, **fields: object) -> JobStatus:
    """Return how job 7 stands."""
    status = JobStatus(job_id="7", job=Job(name="a", command=("true",)), state=state)
    return msgspec.structs.replace(status, **fields)
