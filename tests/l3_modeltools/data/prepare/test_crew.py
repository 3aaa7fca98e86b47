"""Workers stay from stage to stage and end with the crew; one that dies is told as such, whatever it was doing."""

import subprocess
import sys
from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError
from l3_modeltools.data.prepare.crew import Crew, ask
from l3_modeltools.data.prepare.inputs import find_origin
from l3_modeltools.data.prepare.messages import Task
from l3_modeltools.data.prepare.publish import begin, locked
from l3_modeltools.data.prepare.workplace import Workplace
from l3_modeltools.schemas import JsonLines
from tests.support.corpora import corpus_of, write_lines


@pytest.mark.parametrize("said", ["", '{"answer":"Done","pa'])
def test_a_worker_killed_amid_its_answer_is_told_as_killed(said: str) -> None:
    program = f"import os, sys; sys.stdin.readline(); os.write(1, {said.encode()!r}); os.kill(os.getpid(), 9)"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    answer = ask(process, Task(stage="scan"))
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        stream.close()
    assert isinstance(answer, EngineError)
    assert "its end by signal SIGKILL" in str(answer) and answer.retry


def test_workers_stay_while_as_many_are_wanted_and_end_with_the_crew(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_lines(tmp_path / f"{name}.jsonl", [{"text": "here"}])
    place = Workplace(tmp_path / "out")
    begin(place, find_origin(corpus_of(JsonLines(files="a.jsonl"), JsonLines(files="b.jsonl")), tmp_path))
    one, two = Task(stage="scan", part=0), Task(stage="scan", part=1)
    with locked(place.directory) as lock, Crew(place.directory, workers=2, lock=lock) as crew:
        seen = []
        for tasks in ([one], [two], [one, two], [two, one]):
            assert {done.part for done in crew.do(tasks)} == {task.part for task in tasks}
            seen.append([process.pid for process in crew.processes])
        started = crew.processes
    assert seen[0] == seen[1] and seen[2] == seen[3] and len({*seen[0], *seen[2]}) == 3
    assert all(process.returncode is not None for process in started)
