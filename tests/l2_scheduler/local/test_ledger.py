"""The kernel keeps the books: a claim lives exactly as long as somebody holds its lock."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import EngineError
from l2_scheduler.local.ledger import Claim, Ledger


def claim(job_id: str = "1", cpus: int = 1) -> Claim:
    return Claim(user=os.getuid(), home="/h", job_id=job_id, attempt=1, cpus=cpus)


def test_a_held_claim_is_seen_by_others(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l")
    with ledger.locked() as opened:
        held = opened.add(claim(cpus=3))
    with Ledger(tmp_path / "l").locked() as opened:
        assert opened.claims() == (claim(cpus=3),)
    held.release()
    with ledger.locked() as opened:
        assert opened.claims() == ()


def test_a_claim_nobody_holds_is_swept(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l").locked() as opened:
        os.close(opened.add(claim()).descriptor)
        assert opened.claims() == ()
    assert [path.name for path in (tmp_path / "l").iterdir()] == ["lock"]


def test_a_child_that_inherits_keeps_it_until_it_ends(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l")
    with ledger.locked() as opened:
        held = opened.add(claim())
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(held.descriptor,)
    )
    os.close(held.descriptor)
    with ledger.locked() as opened:
        assert opened.claims() == (claim(),)
    child.kill()
    child.communicate()
    with ledger.locked() as opened:
        assert opened.claims() == ()


def test_only_one_holds_the_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l")
    with (
        ledger.locked(),
        pytest.raises(EngineError, match="lock held") as caught,
        ledger.locked(timeout_s=0.05),
    ):
        pass
    assert caught.value.retry


def test_strange_files_are_no_claims(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l")
    (tmp_path / "l" / "x.claim").symlink_to("/etc/passwd")
    (tmp_path / "l" / "y.claim").mkdir()
    os.mkfifo(tmp_path / "l" / "z.claim")
    with ledger.locked() as opened:
        assert opened.claims() == ()


def test_the_folder_is_open_to_all_but_sticky(tmp_path: Path) -> None:
    Ledger(tmp_path / "l")
    (tmp_path / "l").chmod(0o700)
    Ledger(tmp_path / "l")
    assert (tmp_path / "l").stat().st_mode & 0o7777 == 0o1777


def test_a_link_to_a_locked_claim_is_no_second_claim(tmp_path: Path) -> None:
    elsewhere = Ledger(tmp_path / "elsewhere")
    with elsewhere.locked() as opened:
        held = opened.add(claim())
    ledger = Ledger(tmp_path / "l")
    (tmp_path / "l" / "link.claim").symlink_to(held.path)
    with ledger.locked() as opened:
        assert opened.claims() == ()
    held.release()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_private_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "l").mkdir(mode=0o755)
    os.chown(tmp_path / "l", 65534, 65534)
    with pytest.raises(EngineError, match="uid 65534; expected a folder with mode 1777"):
        Ledger(tmp_path / "l")


@pytest.mark.parametrize(
    "lie",
    [{"cpus": -5}, {"cpus": 10**17}, {"memory_bytes": -1}, {"job_id": "\x1b[2J"}, {"user": os.getuid() + 1}],
)
def test_a_claim_no_agent_writes_counts_for_nothing(tmp_path: Path, lie: dict[str, object]) -> None:
    with Ledger(tmp_path / "l").locked() as opened:
        opened.add(msgspec.structs.replace(claim(), **lie))
        assert opened.claims() == ()


@pytest.mark.parametrize("place", [os.mkfifo, Path.mkdir, Path.touch])
def test_nobody_waits_at_what_was_put_in_the_place_of_the_lock(
    tmp_path: Path, place: Callable[[Path], object]
) -> None:
    ledger = Ledger(tmp_path / "l")
    place(tmp_path / "l" / "lock")
    with ledger.locked(timeout_s=1.0) as opened:
        assert opened.claims() == ()


@pytest.mark.parametrize("place", [Path.touch, lambda path: path.symlink_to(path.parent)])
def test_what_is_no_folder_is_refused_and_left_alone(tmp_path: Path, place: Callable[[Path], object]) -> None:
    place(tmp_path / "l")
    before = (tmp_path / "l").lstat().st_mode, tmp_path.stat().st_mode
    with pytest.raises(EngineError, match="a folder with mode 1777"):
        Ledger(tmp_path / "l")
    assert ((tmp_path / "l").lstat().st_mode, tmp_path.stat().st_mode) == before


def test_a_ledger_that_went_away_is_told(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l")
    (tmp_path / "l").rmdir()
    with pytest.raises(EngineError, match="No such file"), ledger.locked():
        pass
