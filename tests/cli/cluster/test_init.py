"""`ogai cluster init`: a document from flags or answers, and never over a file that is there."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l0_infra.schemas import Cpu, Memory, NodeFacts, Unread
from l1_podsys import cluster_members
from l1_podsys.schemas import Cluster, Storage
from ogai.cluster import Wished, describe
from ogai.flows.cluster import parse_storage
from ogai.flows.node.targets import Target
from ogai.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_flags_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--hosts",
        "n[1-3]",
        "--head",
        "n2",
        "--storage",
        "nas:/vol@/home",
        "--users",
        "ada,bob",
        "--no-look",
    ]
    assert main(["cluster", "init", "--name", "pod7", *words, "--head-only", "--yes"]) == 0
    assert capsys.readouterr().out == "pod7.yaml\n"
    cluster = read_document(Path("pod7.yaml"), expect=Cluster)
    assert cluster_members(cluster)["n2"].places == {"all", "controller", "head", "login"}
    assert cluster.storage == (Storage(mountpoint="/home", source="nas:/vol"),)
    assert [(user.name, user.uid) for user in cluster.users] == [("ada", 2001), ("bob", 2002)]


def test_a_file_that_is_there_is_not_touched(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pod1.yaml").write_text("mine")
    words = ["cluster", "init", "--hosts", "n[1-3]", "--no-look", "--yes"]
    assert main(words) == 2
    assert Path("pod1.yaml").read_text() == "mine" and "--force" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert read_document(Path("pod1.yaml"), expect=Cluster).name == "pod1"


def test_on_a_pipe_all_missing_flags_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "init", "--storage", "none"]) == 2
    err = capsys.readouterr().err
    assert "--hosts, --head on the command line" in err and "--yes" in err
    assert main(["cluster", "init", "--yes"]) == 2
    assert "expected --hosts on the command line" in capsys.readouterr().err


def test_on_a_terminal_it_asks_and_offers_answers(tmp_path: Path) -> None:
    mine, theirs = pty.openpty()
    words = ["cluster", "init", "--no-look", "--users", "ada"]
    asked = subprocess.Popen(
        [sys.executable, "-m", "ogai", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path), "TERM": "dumb"},
    )
    os.close(theirs)
    os.write(mine, b"head,n[1-2]\n\nnone\n")
    told = b""
    try:
        while part := os.read(mine, 4096):
            told += part
    except OSError:
        pass
    assert asked.wait() == 0, told.decode()
    assert b"Which of them leads [head]" in told and b"[head:/srv/shared]" in told
    cluster = read_document(tmp_path / "pod1.yaml", expect=Cluster)
    assert cluster.storage == () and "head" in cluster_members(cluster)["head"].places


def survey(targets: tuple[Target, ...], on_looked: object = None) -> tuple[NodeFacts, ...]:
    assert [target.address for target in targets] == ["10.1.0.1", "10.1.0.2"]
    there = NodeFacts(node="n1", probed_at=1.0, cpu=Cpu(threads=4), memory=Memory(total_bytes=2**34))
    gone = Unread(what="node", reason="unreachable", detail="no route")
    return there, NodeFacts(node="n2", probed_at=1.0, unread=(gone,))


def test_what_a_look_found_is_proposed_and_who_did_not_answer_is_told() -> None:
    found = describe(Wished(hosts="n[1-2]", addresses="10.1.0.[1-2]"), survey_hosts=survey)
    assert {group.names: group.node_class for group in found.cluster.nodes} == {"n1": "cpu", "n2": "default"}
    assert found.looked_at == 1 and found.lost == {"n2": "no route"}


@pytest.mark.parametrize(
    ("text", "storage"),
    [
        ("none", None),
        ("/lustre/", Storage(mountpoint="/lustre", filesystem="existing")),
        ("n1:/srv/x", Storage(mountpoint="/shared", server_node="n1", source="/srv/x")),
        ("nas:/x@/data", Storage(mountpoint="/data", source="nas:/x")),
    ],
)
def test_storage_in_a_word(text: str, storage: Storage | None) -> None:
    assert parse_storage(text, ("n1",)) == storage


@pytest.mark.parametrize(
    ("wished", "where"),
    [
        (Wished(hosts="n[1-3]", head="n4"), "--head"),
        (Wished(hosts="n[1-3]", addresses="10.0.0.1"), "--addresses"),
        (Wished(hosts="n[1-3]", storage="shared"), "--storage"),
        (Wished(hosts=" "), "--hosts"),
    ],
)
def test_answers_that_cannot_be_meant_are_refused_by_their_flag(wished: Wished, where: str) -> None:
    with pytest.raises(UsageError, match=where):
        describe(wished, look=False)
