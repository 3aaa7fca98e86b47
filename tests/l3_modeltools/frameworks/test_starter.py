"""The starter says where the ranks of a start meet and what they resume from, and then is the program."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from l3_modeltools.frameworks.command import STARTER, run_variables
from l3_modeltools.frameworks.starter import fill_in, newest_checkpoint
from tests.support.runs import a_command, a_run

SHOW = "import json, os; print(json.dumps(dict(os.environ)))"


def given(directory: Path, rank: int = 0, tasks: int = 1, attempt: int = 1) -> dict[str, str]:
    """What the engine and the job tell a task."""
    return os.environ | {
        **run_variables(a_run(a_command("x", tasks=tasks), directory=directory)),
        "OGAI_JOB_ID": "7",
        "OGAI_ATTEMPT": str(attempt),
        "OGAI_TOKEN": f"token{attempt}",
        "OGAI_RANK": str(rank),
        "OGAI_LOCAL_RANK": str(rank),
        "OGAI_WORLD_SIZE": str(tasks),
        "OGAI_EVENTS": str(directory / "events.jsonl"),
        "OGAI_JOB_DIR": str(directory),
    }


def start(environment: dict[str, str], *argv: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-I", "-S", STARTER, *(argv or (sys.executable, "-c", SHOW))]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def seen(process: subprocess.Popen[str]) -> dict[str, str]:
    output, _ = process.communicate()
    found: dict[str, str] = json.loads(output)
    return found


def test_all_tasks_of_a_start_meet_at_one_free_port_and_the_next_start_at_its_own(tmp_path: Path) -> None:
    ports = []
    for attempt in (1, 2):
        tasks = [start(given(tmp_path, rank, 3, attempt)) for rank in (2, 1, 0)]
        told = [seen(task) for task in tasks]
        assert [environment["RANK"] for environment in told] == ["2", "1", "0"]
        assert {environment["MASTER_ADDR"] for environment in told} == {"127.0.0.1"}
        (port,) = {environment["MASTER_PORT"] for environment in told}
        ports.append(port)
    assert ports[0] != ports[1]
    assert (
        told[0]
        | {
            "LOCAL_RANK": "2",
            "NODE_RANK": "0",
            "WORLD_SIZE": "3",
            "LOCAL_WORLD_SIZE": "3",
            "OGAI_RESUME_DIR": "",
        }
        == told[0]
    )


def test_ranks_of_several_nodes_meet_at_the_host_of_rank_0(tmp_path: Path) -> None:
    tasks = []
    for rank in (0, 3):
        environment = given(tmp_path, rank, 2) | {"OGAI_WORLD_SIZE": "4", "OGAI_LOCAL_RANK": str(rank % 2)}
        tasks.append(start(environment))
    told = [seen(task) for task in tasks]
    assert [(each["NODE_RANK"], each["LOCAL_RANK"]) for each in told] == [("0", "0"), ("1", "1")]
    assert {each["MASTER_ADDR"] for each in told} == {socket.gethostname()}


def test_what_a_kill_cut_off_in_the_list_of_starts_disturbs_no_later_start(tmp_path: Path) -> None:
    (tmp_path / "starts.jsonl").write_text('{"at": 1, "start": "7.1.to')
    tasks = [start(given(tmp_path, rank, 2)) for rank in (0, 1)]
    assert len({seen(task)["MASTER_PORT"] for task in tasks}) == 1


def test_words_are_filled_in_but_only_those_of_the_table(tmp_path: Path) -> None:
    environment = given(tmp_path) | {"HF_TOKEN": "hush"}
    word = "--at={MASTER_ADDR}:{RANK} {OGAI_RUN_DIR}/x {HF_TOKEN} {} {x} {{RANK}}"
    output, _ = start(environment, "printf", "%s", word).communicate()
    assert output == f"--at=127.0.0.1:0 {tmp_path}/x {{HF_TOKEN}} {{}} {{x}} {{0}}"
    assert fill_in("{RANK}", {"RANK": ""}) == ""


@pytest.mark.parametrize(("program", "code"), [("/absent/program", 127), ("absent-program", 127), ("/", 126)])
def test_a_program_that_cannot_be_run_is_told_as_a_shell_does(
    tmp_path: Path, program: str, code: int
) -> None:
    process = start(given(tmp_path), program)
    assert program in process.communicate()[1]
    assert process.returncode == code


def test_the_newest_whole_directory_is_resumed_from(tmp_path: Path) -> None:
    assert newest_checkpoint(str(tmp_path), []) == ""
    for name in ("step-9", "step-10", "step-11.partial", "step-12.tmp", ".step-13", "step-14", "final"):
        (tmp_path / "checkpoints" / name).mkdir(parents=True)
        if name != "step-14":
            (tmp_path / "checkpoints" / name / "state").touch()
    (tmp_path / "checkpoints" / "step-15").touch()
    assert newest_checkpoint(str(tmp_path), []) == str(tmp_path / "checkpoints" / "step-10")


def test_of_names_without_numbers_the_newest_is_resumed_from(tmp_path: Path) -> None:
    for name, at in (("b", 300), ("c", 900), ("a", 600)):
        (tmp_path / "checkpoints" / name).mkdir(parents=True)
        (tmp_path / "checkpoints" / name / "state").touch()
        os.utime(tmp_path / "checkpoints" / name, (at, at))
    assert newest_checkpoint(str(tmp_path), []) == str(tmp_path / "checkpoints" / "c")
    os.utime(tmp_path / "checkpoints" / "b", (1000, 1000))
    assert newest_checkpoint(str(tmp_path), []) == str(tmp_path / "checkpoints" / "b")


def test_what_the_trainer_announced_last_and_still_is_there_counts_first(tmp_path: Path) -> None:
    for name in ("checkpoints/step-9", "saves/a", "saves/b"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "state").touch()
    old, new = tmp_path / "6.jsonl", tmp_path / "7.jsonl"
    old.write_text('{"event": "saved", "directory": "saves/a"}\n')
    files = [str(old), str(new), str(tmp_path / "absent")]
    assert newest_checkpoint(str(tmp_path), files) == str(tmp_path / "saves/a")
    new.write_text(
        f'{{"event": "saved", "directory": "{tmp_path}/saves/b"}}\n{{"event": "saved", "directory": "saves/gone"}}\n'
        '[]\n{"event": "saved", "directory": 3}\n{"event": "progress", "directory": "checkpoints/step-9"}\n{"event"'
    )
    assert newest_checkpoint(str(tmp_path), files) == str(tmp_path / "saves/b")


def test_a_later_job_of_the_run_hears_what_an_earlier_one_announced(tmp_path: Path) -> None:
    (tmp_path / "saves").mkdir()
    first = given(tmp_path)
    assert seen(start(first))["OGAI_RESUME_DIR"] == ""
    Path(first["OGAI_EVENTS"]).write_text('{"event": "saved", "directory": "saves"}\n')
    later = given(tmp_path) | {"OGAI_JOB_ID": "8", "OGAI_EVENTS": str(tmp_path / "8.jsonl")}
    assert seen(start(later))["OGAI_RESUME_DIR"] == str(tmp_path / "saves")
