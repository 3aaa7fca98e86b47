"""A worker that dies is told as such, whatever it was doing."""

import subprocess
import sys

import pytest

from l0_infra.core.errors import EngineError
from l3_modeltools.data.prepare.crew import ask
from l3_modeltools.data.prepare.messages import Task


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
