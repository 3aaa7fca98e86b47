"""OGAI_HOME is refused where state cannot be trusted, with the mend."""

import os
import subprocess
from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError
from l0_infra.core.store import ogai_home, parse_mounts, prepare_home


def test_home_is_what_the_environment_says(tmp_path: Path) -> None:
    assert ogai_home({"OGAI_HOME": str(tmp_path)}) == tmp_path
    assert ogai_home({}).name == "ogai"


def test_a_new_home_is_private(tmp_path: Path) -> None:
    home = prepare_home(tmp_path / "a" / "b")
    assert home.stat().st_mode & 0o777 == 0o700
    assert prepare_home(home) == home


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("1 0 0:1 / {} rw - nfs4 filer:/x rw", "a network file system (nfs4 from filer:/x)"),
        ("1 0 0:1 / {} ro - ext4 /dev/vda ro", "a read-only file system (ext4 at"),
    ],
)
def test_remote_and_read_only_disks_are_refused(tmp_path: Path, line: str, found: str) -> None:
    home = tmp_path / "home"
    with pytest.raises(EngineError) as caught:
        prepare_home(home, parse_mounts(line.format(tmp_path)))
    assert caught.value.found.startswith(found)
    assert "export OGAI_HOME=" in caught.value.hint
    assert not home.exists()


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EngineError, match="a file where a directory must be at"):
        prepare_home(tmp_path / "file" / "home")
    with pytest.raises(EngineError, match="something there already at"):
        prepare_home(tmp_path / "file")


@pytest.mark.real
@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a read-only disk needs root")
def test_a_real_read_only_mount_is_refused(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", disk], check=True)
    try:
        with pytest.raises(EngineError, match="read-only file system"):
            prepare_home(disk / "home")
    finally:
        subprocess.run(["umount", disk], check=True)
