"""A trainer of the user's own: its tasks, the variables it is told things by, its image."""

import os
from pathlib import Path

import msgspec

from l3_modeltools.frameworks.containers import Container, Inside, container_command
from l3_modeltools.frameworks.launch import Launch
from l3_modeltools.frameworks.starter import AT_START
from l3_modeltools.runs import RunLayout
from l3_modeltools.schemas import Run, Train, TrainerCommand

__all__ = ["command_launch", "resolve_command", "run_variables"]

STARTER = str(Path(__file__).with_name("starter.py"))
OF_THE_ENGINE = (
    "OGAI_JOB_ID",
    "OGAI_ATTEMPT",
    "OGAI_EVENTS",
    "CUDA_VISIBLE_DEVICES",
    "ASCEND_RT_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
)
"""Variables of the job that a trainer in an image needs too."""


def command_launch(run: Run, command: TrainerCommand, python: str, container: Container | None) -> Launch:
    """Launch the command in each task through the starter, which at every start says what only then is known."""
    variables = run_variables(run)
    threads = str(run.train.resources.cpus_per_task)
    argv = command.argv
    if command.image is not None:
        names = (
            "OMP_NUM_THREADS",
            *variables,
            *AT_START,
            *OF_THE_ENGINE,
            *command.environment,
            *command.secrets,
        )
        argv = container_command(container, _inside(run, command, command.image, names))
    return Launch(
        command=(python, "-I", "-S", STARTER, *argv),
        environment={"OMP_NUM_THREADS": threads, **command.environment, **variables},
        resources=run.train.resources,
        directory=command.directory,
        secrets=command.secrets,
    )


def resolve_command(train: Train, *, base: Path, here: Path) -> Train:
    """Make the paths of a command absolute: those in it are relative to `base`, the folder of its document.

    A command that names no directory begins `here`, where it is submitted, in every later job of the run too.
    """
    command = train.command
    if command is None:
        return train
    directory = here if command.directory is None else base / command.directory
    image = None if command.image is None else _image(command.image, base)
    resolved = msgspec.structs.replace(command, directory=os.path.normpath(directory), image=image)
    return msgspec.structs.replace(train, command=resolved)


def run_variables(run: Run) -> dict[str, str]:
    """Return the variables that are known before the run starts."""
    layout = RunLayout(Path(run.directory))
    return {
        "LOCAL_WORLD_SIZE": str(run.train.resources.tasks_per_node),
        "OGAI_METRICS": str(layout.metrics),
        "OGAI_RUN_DIR": run.directory,
        "OGAI_RUN_ID": run.run_id,
        "OGAI_TENSORBOARD_DIR": str(layout.tensorboard),
    }


def _image(image: str, base: Path) -> str:
    """Leave a URI (`docker://…`) and the name of a container of Enroot as they are."""
    is_file = "://" not in image and image.endswith((".sif", ".sqsh", ".img"))
    return os.path.normpath(base / image) if is_file else image


def _inside(run: Run, command: TrainerCommand, image: str, names: tuple[str, ...]) -> Inside:
    """Share the run's directory, the one it begins in, and that of the event file, which the starter fills in."""
    folders = (run.directory, *([command.directory] if command.directory else []), "{OGAI_JOB_DIR}")
    return Inside(
        image=image,
        argv=command.argv,
        directory=command.directory,
        folders=folders,
        variables=tuple(dict.fromkeys(names)),
        accelerators=run.train.resources.gpus_per_node > 0,
    )
