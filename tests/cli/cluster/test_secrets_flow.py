"""Which munge key becomes the cluster's, and whose host key is forgotten."""

import shutil
from pathlib import Path

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Answer, ScriptedRunner
from l1_podsys import MUNGE_KEY
from l1_podsys.schemas import Ssh
from ogai.flows.cluster.host_keys import forget_host_key
from ogai.flows.cluster.secrets import KEY_ON_NODE, ensure_secrets

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5yFJmUcs2nRmX4k1PFcTSYmY1rYv4eGk7hBz5mPp3Q"


def controller(content: bytes | None, *, there: bool) -> ScriptedRunner:
    runner = ScriptedRunner("head").answer(lambda command: True, Answer(exit_code=0 if there else 1))
    if content is not None:
        runner.files[KEY_ON_NODE] = content
    return runner


def test_a_key_in_use_on_the_controller_is_the_clusters(tmp_path: Path) -> None:
    ensure_secrets(tmp_path, controller(b"k" * 128, there=True), sudo=False)
    assert (tmp_path / MUNGE_KEY).read_bytes() == b"k" * 128


def test_where_there_is_none_one_is_made(tmp_path: Path) -> None:
    ensure_secrets(tmp_path, controller(None, there=False), sudo=False)
    assert len((tmp_path / MUNGE_KEY).read_bytes()) >= 32


def test_a_key_that_is_there_and_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(RemoteError):
        ensure_secrets(tmp_path, controller(b"k" * 2**17, there=True), sudo=False)
    assert not (tmp_path / MUNGE_KEY).exists()


@pytest.mark.parametrize(("port", "gone"), [(None, "10.0.0.7"), (22, "10.0.0.7"), (2222, "[10.0.0.7]:2222")])
def test_the_key_of_that_address_and_port_is_forgotten(tmp_path: Path, port: int | None, gone: str) -> None:
    names = {"10.0.0.7", "[10.0.0.7]:2222", "10.0.0.70"}
    file = tmp_path / "known_hosts"
    file.write_text("".join(f"{name} {KEY}\n" for name in sorted(names)))
    forget_host_key(Ssh(port=port, known_hosts_file=str(file)), "10.0.0.7")
    assert {line.split()[0] for line in file.read_text().splitlines()} == names - {gone}


def test_without_a_file_nothing_is_to_forget(tmp_path: Path) -> None:
    forget_host_key(Ssh(known_hosts_file=str(tmp_path / "none")), "10.0.0.7")
    assert list(tmp_path.iterdir()) == []
