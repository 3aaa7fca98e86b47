"""A host whose power is cut is off at once; who starts it again waits for its keeper, and says so when that stays."""

import fcntl
import os
import threading
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import EngineError
from l0_infra.core.exec import ScriptedRunner
from l1_podsys.lab.breaks import BREAKS, HostHandle
from l1_podsys.lab.cgroups import Groups
from l1_podsys.lab.keepers import lives, settle
from l1_podsys.lab.layout import Layout
from tests.support.labs import a_lab


@pytest.fixture
def at(tmp_path: Path) -> HostHandle:
    """Give a host of which nothing runs."""
    lab = msgspec.structs.replace(a_lab(nodes=1), directory=str(tmp_path / "hosts"))
    at = HostHandle(
        lab=lab,
        host=lab.hosts[0],
        layout=Layout(folder=tmp_path / "lab"),
        groups=Groups(unified=tmp_path / "groups", legacy={}),
        runner=ScriptedRunner(),
    )
    at.folder.mkdir(parents=True)
    (at.folder / "console.log").write_text("Reached target.\nPower down.\n")
    return at


class Keeper:
    """Whoever holds the lock on a host's folder, until it is ended or some seconds are over."""

    def __init__(self, folder: Path, *, lasts_s: float) -> None:
        self.descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._hold, args=(lasts_s,))
        self.thread.start()

    def _hold(self, lasts_s: float) -> None:
        self.ended.wait(lasts_s)
        os.close(self.descriptor)

    def end(self) -> None:
        self.ended.set()
        self.thread.join()


def test_cutting_the_power_waits_for_no_keeper(at: HostHandle) -> None:
    keeper = Keeper(at.folder, lasts_s=5.0)
    try:
        BREAKS["power-off"].breaks(at)
        assert lives(at.folder), "it came back only when the keeper had ended"
    finally:
        keeper.end()


def test_who_starts_the_host_again_waits_for_the_keeper_of_before(at: HostHandle) -> None:
    keeper = Keeper(at.folder, lasts_s=0.3)
    try:
        settle(at.groups, at.lab, at.host, at.layout)
        assert not lives(at.folder)
        settle(at.groups, at.lab, at.host, at.layout)
    finally:
        keeper.end()


def test_a_keeper_that_stays_is_told_with_its_last_words(at: HostHandle) -> None:
    keeper = Keeper(at.folder, lasts_s=60.0)
    try:
        with pytest.raises(
            EngineError, match=r"a keeper that neither boots it nor ends within 0.1 s"
        ) as told:
            settle(at.groups, at.lab, at.host, at.layout, wait_s=0.1)
        assert "Power down." in told.value.found
        assert told.value.hint.endswith("console.log")
    finally:
        keeper.end()
