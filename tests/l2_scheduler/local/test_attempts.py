"""What an attempt's folder means, whatever a kill or a disk left in it."""

from pathlib import Path

import msgspec
import pytest

from l2_scheduler.local.attempts import Keeper, observe_attempt, read_exit
from l2_scheduler.local.locks import exclusive
from l2_scheduler.local.lost import bury

LAST_BOOT = Keeper(boot_id="an earlier boot", pid=1, start_ticks=1, started_at=100.0)


def test_an_attempt_without_a_shim_is_made_void_so_that_a_late_one_cannot_start_it(tmp_path: Path) -> None:
    assert observe_attempt(tmp_path / "1", launching=False) == "never_started"
    assert (tmp_path / "1" / "void").exists()


def test_a_shim_that_is_being_launched_may_not_have_locked_yet(tmp_path: Path) -> None:
    assert observe_attempt(tmp_path, launching=True) == "running"
    assert not (tmp_path / "void").exists()


def test_a_locked_attempt_runs_and_one_whose_lock_is_free_was_lost(tmp_path: Path) -> None:
    (tmp_path / "shim.json").touch()
    with exclusive(tmp_path / "lock"):
        assert observe_attempt(tmp_path, launching=False) == "running"
    assert observe_attempt(tmp_path, launching=False) == "lost"
    assert not (tmp_path / "void").exists()


@pytest.mark.parametrize("content", [b"", b"{", b'{"state": "DANCING"}'])
def test_a_damaged_outcome_is_a_failure_of_the_node(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "exit.json").write_bytes(content)
    outcome = read_exit(tmp_path, 7.0)
    assert outcome is not None
    assert (outcome.state, outcome.ended_at) == ("NODE_FAIL", 7.0)
    assert "damaged" in outcome.reason


def test_what_a_restart_of_the_machine_ended_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "shim.json").write_bytes(msgspec.json.encode(LAST_BOOT))
    outcome = bury(tmp_path, 130.0)
    assert (outcome.state, outcome.elapsed_s) == ("NODE_FAIL", 30.0)
    assert outcome.reason == "the machine restarted while it ran"
