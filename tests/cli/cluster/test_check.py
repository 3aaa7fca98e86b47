"""`ogai cluster check` over real ssh: exit codes, what does not answer, what is kept."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ogai.main import main
from tests.support.loopback_hosts import Host, hosts_on_loopback

pytestmark = pytest.mark.real

Captured = pytest.CaptureFixture[str]
DOCUMENT = """
kind: cluster
name: pod
nodes:
- {names: a1, roles: [head], addresses: host00, node_class: head}
- {names: "c[1-2]", roles: [compute], addresses: "%s"}
ssh: {sudo: false}
scheduler: {engine: %s}
"""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Host, ...]]:
    if shutil.which("ssh") is None:
        pytest.skip("needs ssh (Debian: openssh-client)")
    try:
        with hosts_on_loopback(3, tmp_path_factory.mktemp("hosts")) as started:
            yield started
    except FileNotFoundError as error:
        pytest.skip(f"needs {error}")


@pytest.fixture
def home(hosts: Sequence[Host], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the command line find the hosts, which it looks for in the user's own ssh configuration."""
    (tmp_path / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {hosts[0].config} "$@"\n')
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    return tmp_path


def document(home: Path, addresses: str = "host[01-02]", engine: str = "local") -> str:
    path = home / "pod.yaml"
    path.write_text(DOCUMENT % (addresses, engine))
    return str(path)


def checked(capsys: Captured, *arguments: str) -> tuple[int, dict[tuple[str, str], str]]:
    code = main(["cluster", "check", *arguments, "-o", "json"])
    verdicts = json.loads(capsys.readouterr().out)["verdicts"]
    return code, {(one["node"], one["check"]): one["severity"] for one in verdicts}


def test_every_node_is_looked_at_and_what_it_offers_is_kept(home: Path, capsys: Captured) -> None:
    _, found = checked(capsys, "--cluster", document(home))
    for node in ("a1", "c1", "c2"):
        assert found[node, "node.reachable"] == "ok" == found[node, "time.offset"]
        assert found[node, "disk.write"] == "ok"
    assert not any(check.startswith("scheduler.") for _, check in found)
    state = json.loads((home / "home/clusters/pod/state.json").read_text())
    assert [(node["name"], node["state"]) for node in state["nodes"]] == [("c1", "idle"), ("c2", "idle")]
    assert state["nodes"][0]["cpus"] >= 1


def test_a_node_that_does_not_answer_is_critical_and_the_state_says_so(
    hosts: Sequence[Host], home: Path, capsys: Captured
) -> None:
    with hosts[0].config.open("a") as config:
        config.write("Host gone\n  HostName 127.0.0.1\n  Port 1\n")
    code, found = checked(capsys, "--cluster", document(home, "host01,gone"))
    assert code == 6
    assert found["c2", "node.reachable"] == "critical" and found["c1", "node.reachable"] == "ok"
    state = json.loads((home / "home/clusters/pod/state.json").read_text())
    assert [node["state"] for node in state["nodes"]] == ["idle", "down"]


def test_nodes_that_were_not_looked_at_stay_in_the_state(home: Path, capsys: Captured) -> None:
    path = document(home)
    checked(capsys, "--cluster", path)
    _, found = checked(capsys, "c1", "--cluster", path)
    assert {node for node, _ in found} == {"c1"}
    state = json.loads((home / "home/clusters/pod/state.json").read_text())
    assert [node["name"] for node in state["nodes"]] == ["c1", "c2"]


def test_without_its_scheduler_a_slurm_cluster_is_unfit(home: Path, capsys: Captured) -> None:
    if shutil.which("scontrol"):
        pytest.skip("a Slurm is installed here")
    code, found = checked(capsys, "--cluster", document(home, engine="slurm"), "--drain")
    assert (code, found["a1", "scheduler.controller"], found["c1", "scheduler.node"]) == (
        6,
        "critical",
        "unknown",
    )


def test_no_current_cluster_is_said(home: Path, capsys: Captured) -> None:
    assert main(["cluster", "check"]) == 2
    assert "no current cluster" in capsys.readouterr().err


def test_a_cluster_without_slurm_cannot_drain(home: Path, capsys: Captured) -> None:
    assert main(["cluster", "drain", "c1", "--cluster", document(home), "--reason", "x"]) == 2
    assert "which can drain nodes" in capsys.readouterr().err
