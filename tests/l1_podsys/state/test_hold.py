"""One run at a time works on a cluster, and the rest of a killed one is waited for by name."""

import subprocess
import sys
from pathlib import Path

import pytest

from l0_infra.apply import guarded
from l0_infra.core.errors import EngineError
from l1_podsys.state.hold import held, refuse_busy


def test_who_is_at_work_is_named_and_nobody_else_may_begin(tmp_path: Path) -> None:
    lock, guard = tmp_path / "up.lock", tmp_path / "playbooks.lock"
    refuse_busy(lock, cluster="pod")
    with held(lock, guard, cluster="pod", what="ogai cluster up"):
        for begin in (
            lambda: refuse_busy(lock, cluster="pod"),
            lambda: held(lock, guard, cluster="pod", what="ogai cluster add").__enter__(),
        ):
            with pytest.raises(EngineError, match=r"found `ogai cluster up` of .* process"):
                begin()
    refuse_busy(lock, cluster="pod")


def test_what_a_killed_run_left_is_named_once_and_waited_for(tmp_path: Path) -> None:
    lock, guard = tmp_path / "up.lock", tmp_path / "playbooks.lock"
    argv = [sys.executable, "-I", "-S", str(guarded.__file__), str(guard), "sh", "-c", "echo begun; sleep 1"]
    told = list[str]()
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as left:
        assert left.stdout is not None and left.stdout.readline() == "begun\n"
        with held(lock, guard, cluster="pod", what="ogai cluster up", on_wait=told.append):
            assert left.wait() == 0
    assert len(told) == 1
    assert f"ansible-playbook (process {left.pid}) of a run that was killed" in told[0]
