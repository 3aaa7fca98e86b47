"""Runs get ids that nobody shares, are whole or ignored, and change one change at a time."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import DocumentError, MachineError
from l3_modeltools.runs import create_run, list_runs, load_run, scan_runs, update_run
from tests.support.runs import SUBMITTED_AT, a_train

ROOT = Path(__file__).parents[3]
CREATE = """
import sys
from pathlib import Path
from l3_modeltools.runs import create_run
from tests.support.runs import a_train
for _ in range(8):
    print(create_run(Path(sys.argv[1]), a_train(), submitted_at=1.0).run_id)
"""
UPDATE = """
import sys
from pathlib import Path
import msgspec
from l3_modeltools.runs import update_run
for number in range(8):
    job = f"{sys.argv[2]}.{number}"
    update_run(Path(sys.argv[1]), lambda run: msgspec.structs.replace(run, job_ids=(*run.job_ids, job)))
"""


def at_once(script: str, *arguments: tuple[str, ...]) -> list[str]:
    """Run a script in one process for each tuple of arguments, all together, and return all lines."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, *each], stdout=subprocess.PIPE, text=True, env=environment
        )
        for each in arguments
    ]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return [line for output in outputs for line in output.splitlines()]


def test_a_run_is_found_as_it_was_made(tmp_path: Path) -> None:
    run = create_run(
        tmp_path / "runs", a_train(), submitted_at=5.0, cluster="pod", environment={"torch": "2.13"}
    )
    assert (run.run_id, run.directory) == ("small-1", str(tmp_path / "runs" / "small-1"))
    assert load_run(Path(run.directory)) == run
    assert list_runs(tmp_path / "runs") == (run,)


def test_a_number_is_above_all_that_were_used(tmp_path: Path) -> None:
    for name in ("small-2", "small-9", "small-10x", "small-x", "smaller-40", "small-1-77"):
        (tmp_path / name).mkdir()
    assert create_run(tmp_path, a_train(), submitted_at=5.0).run_id == "small-10"


def test_a_name_as_long_as_names_may_be_still_gets_ids(tmp_path: Path) -> None:
    ids = [create_run(tmp_path, a_train("n" * 64), submitted_at=5.0).run_id for _ in range(11)]
    assert ids[:2] == ["n" * 62 + "-1", "n" * 62 + "-2"]
    assert ids[-1] == "n" * 61 + "-11"
    assert len(list_runs(tmp_path)) == 11


def test_creators_at_once_never_share_an_id(tmp_path: Path) -> None:
    ids = at_once(CREATE, *[(str(tmp_path),)] * 4)
    assert sorted(ids) == sorted(f"small-{number}" for number in range(1, 33))
    assert {run.run_id for run in list_runs(tmp_path)} == set(ids)


def test_a_creator_that_died_half_way_leaves_what_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "small-1").mkdir()
    (tmp_path / "small-2").mkdir()
    (tmp_path / "small-2" / ".run.json.1.ab").write_text("{")
    assert scan_runs(tmp_path).runs == () and scan_runs(tmp_path).damaged == ()
    assert create_run(tmp_path, a_train(), submitted_at=5.0).run_id == "small-3"
    with pytest.raises(DocumentError):
        load_run(tmp_path / "small-1")


def test_a_damaged_run_is_told_and_hides_no_other(tmp_path: Path) -> None:
    good = create_run(tmp_path, a_train(), submitted_at=5.0)
    bad = create_run(tmp_path, a_train(), submitted_at=6.0)
    (Path(bad.directory) / "run.json").write_text('{"kind": "run", "version"')
    found = scan_runs(tmp_path)
    assert found.runs == (good,)
    assert [damaged.directory.name for damaged in found.damaged] == [bad.run_id]
    assert "run.json" in found.damaged[0].reason


def test_a_run_is_where_it_lies_now(tmp_path: Path) -> None:
    create_run(tmp_path, a_train(), submitted_at=5.0)
    (tmp_path / "small-1").rename(tmp_path / "moved")
    assert load_run(tmp_path / "moved").directory == str(tmp_path / "moved")


def test_runs_are_listed_the_oldest_first_and_none_where_there_is_no_folder(tmp_path: Path) -> None:
    for at in (7.0, 3.0, 5.0):
        create_run(tmp_path, a_train(), submitted_at=at)
    assert [run.submitted_at for run in list_runs(tmp_path)] == [3.0, 5.0, 7.0]
    assert list_runs(tmp_path / "absent") == ()


def test_no_change_of_changers_at_once_is_lost(tmp_path: Path) -> None:
    directory = create_run(tmp_path, a_train(), submitted_at=SUBMITTED_AT).directory
    at_once(UPDATE, *[(directory, str(changer)) for changer in range(3)])
    jobs = load_run(Path(directory)).job_ids
    assert sorted(jobs) == sorted(f"{changer}.{number}" for changer in range(3) for number in range(8))


def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    run = create_run(tmp_path, a_train(), submitted_at=5.0)
    with pytest.raises(ZeroDivisionError):
        update_run(Path(run.directory), lambda run: msgspec.structs.replace(run, step=1 // 0))
    assert update_run(Path(run.directory), lambda run: run) == run


def test_a_folder_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MachineError, match="file"):
        create_run(tmp_path / "file", a_train(), submitted_at=5.0)
