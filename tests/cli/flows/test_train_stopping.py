"""A run that was told to end says what it waits for, and at the end what is saved of it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from l3_modeltools import Mark, RankNow, RanksNow
from l3_modeltools.schemas import Run, SavedCheckpoint
from ogai.flows.train.stopping import describe_doing, describe_left
from tests.support.runs import a_command, a_run
from tests.support.scenes import a_scene

BEFORE = (Mark(at=1100.0, mark="ready"), Mark(at=1200.0, mark="saved", step=500))
SAVED = Mark(at=1605.5, mark="saved", step=1200)
ENDED = Mark(at=1606.0, mark="ended", exit_code=143)


@pytest.mark.parametrize(
    ("phase", "marks", "doing"),
    [
        (None, (), "saves its state, if there is any yet"),
        (None, (SAVED,), "saved step 1200; its processes end"),
        ("setup", (), "sets up, then ends"),
        ("data", (), "finishes step 1200, then saves its state"),
        ("forward", (), "finishes step 1200, then saves its state"),
        ("validate", (), "finishes its validation, then saves its state"),
        ("save", (), "saves its state after step 1200"),
        (
            "save",
            (Mark(at=1605.0, mark="saved", step=1000),),
            "saved step 1000; saves its state after step 1200",
        ),
        ("paused", (), "waits for the disk to take its state"),
        ("save", (SAVED, ENDED), "saved step 1200; its processes end"),
        ("forward", (ENDED,), "its processes end"),
    ],
)
def test_what_it_does_until_it_has_ended(phase: str | None, marks: tuple[Mark, ...], doing: str) -> None:
    ranks = (RankNow(rank=0, phase=phase, step=1200, own_s=0.4, idle_s=0.1),) if phase else ()
    scene = a_scene(marks=(*BEFORE, *marks), ranks=RanksNow(at=1605.0, ranks=ranks))
    assert describe_doing(scene, len(BEFORE)) == doing


def test_a_trainer_of_ones_own_is_waited_for() -> None:
    scene = a_scene(run=a_run(a_command("x"), state="RUNNING"))
    assert describe_doing(scene, 0) == "waits for its processes to end"


def saved(*steps: int) -> tuple[SavedCheckpoint, ...]:
    return tuple(
        SavedCheckpoint(step=step, directory=f"checkpoints/step-{step}", manifest_sha256="a" * 64)
        for step in steps
    )


@pytest.mark.parametrize(
    ("run", "left"),
    [
        (a_run(), "it had done no step"),
        (a_run(step=40, checkpoints=saved(20, 40)), "its state is saved at step 40"),
        (
            a_run(step=40, checkpoints=saved(20, 39)),
            "its state is saved at step 39: 1 step will be done again",
        ),
        (a_run(step=40), "nothing is saved: it would begin anew, 40 steps are lost"),
        (
            replace(a_run(a_command("x"), directory=Path("/runs/mine-1")), step=7),
            "what its trainer saved lies in /runs/mine-1/checkpoints",
        ),
    ],
)
def test_what_is_saved_of_it(run: Run, left: str) -> None:
    assert describe_left(run) == left
