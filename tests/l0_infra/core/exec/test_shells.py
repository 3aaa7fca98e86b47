"""The supervisor must behave the same under every shell that a host may have as `sh`."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from l0_infra.core.exec import Command, LocalRunner


@pytest.fixture(params=["dash", "bash", "busybox"])
def shell(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a shell (and with busybox every tool) the one that PATH finds."""
    program = shutil.which(request.param)
    if program is None:
        pytest.skip(f"needs {request.param}")
    if request.param == "busybox":
        subprocess.run([program, "--install", "-s", str(tmp_path)], check=True)
    else:
        (tmp_path / "sh").symlink_to(program)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return str(request.param)


def test_input_output_and_status(shell: str) -> None:
    content = bytes(range(256)) * 2000
    outcome = LocalRunner().run(Command(argv=("cat",), stdin=content))
    assert (outcome.stdout_bytes, outcome.stderr_bytes, outcome.exit_code) == (content, b"", 0)
    outcome = LocalRunner().run(
        Command(argv=("sh", "-c", 'echo "$A"; exit 9'), env={"A": "it's\n$B"}, cwd="/")
    )
    assert (outcome.stdout, outcome.stderr, outcome.exit_code) == ("it's\n$B\n", "", 9)
    assert LocalRunner().run(Command(argv=("sh", "-c", "kill -9 $$"))).signal == 9


def test_input_that_nobody_reads(shell: str) -> None:
    assert (
        LocalRunner().run(Command(argv=("sleep", "60"), stdin=b"x" * 500_000, deadline_s=0.3)).ended_by
        == "deadline"
    )


def test_a_deadline_leaves_nothing(shell: str, mark: str, processes_with: Callable[[str], list[int]]) -> None:
    script = (
        f"setsid sleep {mark} & (env -i sh -c 'sleep {mark}; exit' &); (setsid sleep {mark} &); sleep {mark}"
    )
    outcome = LocalRunner().run(Command(argv=("sh", "-c", script), deadline_s=0.5))
    assert outcome.ended_by == "deadline"
    assert processes_with(f"sleep\0{mark}") == []


def test_a_file_is_put_and_got(shell: str, tmp_path: Path) -> None:
    LocalRunner().put(b"\0abc" * 1000, str(tmp_path / "file"), mode=0o640)
    assert LocalRunner().get(str(tmp_path / "file")) == b"\0abc" * 1000
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
