"""A real network file system, mounted over ssh: state is refused there, with the mend."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from l0_infra.core.errors import EngineError
from l0_infra.core.store import prepare_home

pytestmark = pytest.mark.real

SFTP = "sftp_server=/usr/lib/openssh/sftp-server"


@pytest.fixture
def remote(sshd: Any, tmp_path: Path) -> Iterator[Path]:
    """Mount a folder of this machine through the test's own ssh server."""
    if shutil.which("sshfs") is None or not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("needs sshfs (Debian: sshfs) and /dev/fuse")
    (tmp_path / "shared").mkdir()
    point = tmp_path / "mounted"
    point.mkdir()
    options = f"port={sshd.port},IdentityFile={sshd.key},UserKnownHostsFile={sshd.known_hosts},{SFTP}"
    subprocess.run(["sshfs", "-o", options, f"127.0.0.1:{tmp_path / 'shared'}", point], check=True)
    yield point
    subprocess.run(["fusermount3", "-u", point], check=True)


def test_a_home_on_a_network_disk_is_refused(remote: Path, tmp_path: Path) -> None:
    with pytest.raises(
        EngineError, match=r"a network file system \(fuse\.sshfs from 127\.0\.0\.1:"
    ) as caught:
        prepare_home(remote / "ogai")
    assert "export OGAI_HOME=" in caught.value.hint
    assert list((tmp_path / "shared").iterdir()) == []
