"""What only looks writes nothing, and is no success where nobody answers."""

import shutil
from pathlib import Path

import pytest

from l0_infra.core.documents import render_document
from l1_podsys.schemas import Cluster, NodeGroup, Scheduler, Ssh
from ogai.main import main

pytestmark = pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh (Debian: openssh-client)")

NOBODY = Cluster(
    name="empty",
    nodes=(NodeGroup(names="n1", roles=("head", "compute"), addresses="127.0.0.1"),),
    ssh=Ssh(user="root", port=1),
    scheduler=Scheduler(engine="local"),
)


@pytest.mark.parametrize("words", [("up", "--dry-run"), ("upgrade", "--dry-run"), ("diff",)])
def test_a_look_at_nodes_that_do_not_answer_fails_and_leaves_nothing(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    file = tmp_path / "empty.yaml"
    file.write_text(render_document(NOBODY))
    command, *options = words
    assert main(["cluster", command, str(file), *options]) == 4
    assert "n1" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [file]
