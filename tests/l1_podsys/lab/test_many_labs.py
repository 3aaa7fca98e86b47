"""Several labs on one machine keep out of each other's way."""

import os
import threading
from pathlib import Path

import pytest

import ogai
from l0_infra.core.errors import EngineError, UsageError
from tests.support.labs import leavings

pytestmark = pytest.mark.real


def test_labs_brought_up_at_once_have_networks_and_hosts_of_their_own(home: Path) -> None:
    names = [f"t-{os.getpid()}{letter}" for letter in "ab"]
    threads = [
        threading.Thread(target=ogai.lab.up, args=(name,), kwargs={"nodes": 1, "output": None})
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one, other = (ogai.lab.load(name) for name in names)
    assert not one.subnet.overlaps(other.subnet)
    ogai.lab.down(one.name)
    assert leavings(home / "labs" / one.name, one.lab_id) == []
    (left,) = ogai.lab.probe()
    assert (left.name, [host.state for host in left.hosts]) == (other.name, ["on"])


def test_disks_lie_where_they_are_told_to_and_go_with_the_lab(home: Path, tmp_path: Path) -> None:
    name, disks = f"t-{os.getpid()}", tmp_path / "disks"
    lab = ogai.lab.up(name, nodes=1, directory=disks, output=None)
    assert (disks / name / lab.hosts[0].name / "disk.img").exists()
    assert (disks / name).stat().st_mode & 0o777 == 0o700
    ogai.lab.down(name)
    assert list(disks.iterdir()) == []


def test_a_folder_that_holds_something_is_not_taken(home: Path, tmp_path: Path) -> None:
    name = f"t-{os.getpid()}"
    (tmp_path / "disks" / name).mkdir(parents=True)
    with pytest.raises(UsageError, match="which is there already"):
        ogai.lab.up(name, nodes=1, directory=tmp_path / "disks", output=None)
    ogai.lab.down(name)
    assert (tmp_path / "disks" / name).is_dir()


def test_a_host_that_cannot_start_is_named_with_its_last_words(home: Path) -> None:
    name = f"t-{os.getpid()}"
    lab = ogai.lab.up(name, nodes=1, output=None)
    host = lab.hosts[0].name
    ogai.lab.break_("power-off", host)
    (Path(lab.directory) / host / "disk.img").write_bytes(b"no file system")
    with pytest.raises(EngineError) as error:
        ogai.lab.heal(host)
    assert error.value.where == f"lab host {host}"
    assert "did not start; its console ends with" in error.value.found and "mount: " in error.value.found
