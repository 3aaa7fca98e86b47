"""What the machine refuses is told with the folder and with what helps."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ogai.refusal import MACHINE_ERRORS, describe_refusal
from tests.support.small_disk import a_small_disk, fill


def test_a_file_that_found_no_room_names_its_folder() -> None:
    told = describe_refusal(OSError(errno.ENOSPC, "No space left on device", "/srv/ogai/runs/log"), {})
    assert told.found == "No space left on device where /srv/ogai/runs lies"
    assert "df -h /srv/ogai/runs" in told.hint


@pytest.mark.parametrize("number", sorted(MACHINE_ERRORS))
def test_each_says_what_to_do(number: int) -> None:
    told = describe_refusal(OSError(number, os.strerror(number)), {"OGAI_HOME": "/nowhere"})
    assert told.found == os.strerror(number) and told.hint and told.retry


def test_of_a_disk_that_is_full_the_folder_is_named(tmp_path: Path) -> None:
    with a_small_disk(tmp_path, "size=64k") as disk:
        fill(disk)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OGAI_HOME": str(disk / "home")}
        command = [sys.executable, "-m", "ogai", "schema", "example", "cluster"]
        with (disk / "filler").open("ab") as out:
            done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, env=environment, check=False)
        told = done.stderr.decode()
    assert done.returncode == 5
    assert f"No space left on device where {disk} lies" in told
    assert f"df -h {disk}" in told
