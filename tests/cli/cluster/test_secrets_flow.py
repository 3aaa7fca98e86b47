"""Which munge key becomes the cluster's."""

import shutil
from pathlib import Path

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Answer, ScriptedRunner
from l1_podsys import MUNGE_KEY
from ogai.flows.cluster.secrets import KEY_ON_NODE, ensure_secrets

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")


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
