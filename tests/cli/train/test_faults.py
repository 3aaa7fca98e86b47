"""`ogai train faults RUN`: a run's own faults, and for a failed trainer of the user's own what its log means."""

import json
from pathlib import Path

import pytest

from l3_modeltools.runs import report_fault
from l3_modeltools.schemas import Evidence, TrainingFault
from tests.cli.train.conftest import Ogai

pytestmark = pytest.mark.real

OWN = """\
kind: train
name: own
framework: command
command: {argv: [python3, fails.py]}
resilience: {max_restarts: 0}
"""
FAILS = """\
print("step 1")
raise OSError(28, "No space left on device")
"""


def test_a_failed_run_of_any_trainer_is_explained_by_its_log(ogai: Ogai, home: Path) -> None:
    Path("fails.py").write_text(FAILS)
    Path("own.yaml").write_text(OWN)
    assert ogai("train", "submit", "own.yaml", "-f").code != 0
    said = ogai("train", "faults", "own", "-o", "json")
    assert said.code == 0, said.err
    (fault,) = json.loads(said.out)
    assert (fault["fault_class"], fault["known_as"]) == ("storage_full", "disk-full")
    assert "Errno 28" in fault["evidence"][0]["text"]
    assert "df -h" in ogai("train", "faults", "own").out


def test_faults_that_a_run_has_told_are_shown(ogai: Ogai, home: Path) -> None:
    Path("fails.py").write_text("print('all is well')\n")
    Path("own.yaml").write_text(OWN)
    assert ogai("train", "submit", "own.yaml", "-f").code == 0
    none = ogai("train", "faults", "own")
    assert (none.code, none.out) == (0, "") and "no faults" in none.err
    directory = Path(json.loads(ogai("train", "show", "own", "-o", "json").out)["directory"])
    for step in (3, 9):
        report_fault(
            directory,
            TrainingFault(
                run=directory.name,
                fault_class="hang",
                summary=f"rank 0 did not move in step {step}",
                detected_at=1000.0,
                step=step,
                evidence=(Evidence(source="heartbeat", text="it sleeps"),),
                advised="restart_worker",
            ),
        )
    assert len(ogai("train", "faults", "own").out.splitlines()) == 3
    second = json.loads(ogai("train", "faults", "own", "2", "-o", "json").out)
    assert (second["fault_id"], second["step"]) == (2, 9)
    assert ogai("train", "faults", "own", "7").code == 2
