"""Another machine in a node's place, over real ssh: its key asked for once, the node drained and given back."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from l0_infra import Progress
from l0_infra.core.documents import render_document
from l0_infra.core.errors import InterruptedByUser, RemoteError, UsageError
from l0_infra.core.exec import HostKeyError
from ogai.flows import cluster as flow
from ogai.flows.cluster import Prepared
from ogai.flows.cluster.place import place_of
from ogai.flows.cluster.prepare import Roles
from tests.support.loopback_hosts import Host, hosts_on_loopback
from tests.support.playbooks import program
from tests.support.small_clusters import find_by_ssh, roles_in, small_cluster, small_roles
from tests.support.terminals import at_terminal
from tests.support.written_slurm import WrittenSlurm

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not program(), reason="needs ansible-playbook (pip install 'ogai[cluster]')"),
]


ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> WrittenSlurm:
    return WrittenSlurm(folder=tmp_path_factory.mktemp("slurm"))


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory, slurm: WrittenSlurm) -> Iterator[tuple[Host, ...]]:
    if shutil.which("ssh") is None:
        pytest.skip("needs ssh (Debian: openssh-client)")
    try:
        with hosts_on_loopback(3, tmp_path_factory.mktemp("hosts"), programs=slurm.folder) as started:
            yield started
    except FileNotFoundError as error:
        pytest.skip(f"needs {error}")


@pytest.fixture(scope="module")
def brought_up(hosts: Sequence[Host], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Bring a cluster of the first two hosts up, once; the folder holds its OGAI_HOME and its roles."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "known_hosts").write_text("".join(keys_of(hosts)))
    document = folder / "cluster.yaml"
    cluster = small_cluster("host[00-01]", engine="slurm", known_hosts=folder / "known_hosts")
    document.write_text(render_document(cluster))
    with pytest.MonkeyPatch.context() as patch, find_by_ssh(hosts[0], folder):
        patch.setenv("OGAI_HOME", str(folder / "home"))
        flow.up(document, roles=small_roles(folder), check=None)
        yield folder


@pytest.fixture
def known(hosts: Sequence[Host], brought_up: Path) -> Path:
    """Know the keys of the first two hosts only."""
    (brought_up / "known_hosts").write_text("".join(keys_of(hosts)[:2]))
    return brought_up / "known_hosts"


@pytest.fixture
def roles(
    known: Path, brought_up: Path, slurm: WrittenSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Roles:
    """Have a cluster that is up, in an OGAI_HOME of its own."""
    monkeypatch.setenv("OGAI_HOME", str(shutil.copytree(brought_up / "home", tmp_path / "home")))
    slurm.start("host00", "host01")
    return roles_in(brought_up)


def keys_of(hosts: Sequence[Host]) -> list[str]:
    return (hosts[0].config.parent / "known_hosts").read_text().splitlines(keepends=True)


def accept(shown: HostKeyError) -> bool:
    return True


def test_a_key_that_is_not_accepted_changes_nothing_and_says_how_it_is(
    hosts: Sequence[Host], roles: Roles, known: Path, slurm: WrittenSlurm
) -> None:
    before = known.read_text(), place_of().load()
    printed = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(hosts[0].config.parent / "host_key.pub")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()[1]
    with pytest.raises(RemoteError, match="an unknown host key, ssh-ed25519 ") as refused:
        flow.replace("host01", address="host02", roles=roles, check=None)
    assert printed in refused.value.found
    assert (
        "accept it, and give the same command again: ssh -o StrictHostKeyChecking=ask" in refused.value.hint
    )
    assert (known.read_text(), place_of().load()) == before
    assert slurm.changes() == []
    assert [node.done for node in flow.status().nodes] == [4, 4]


def test_it_is_asked_once_and_remembered(roles: Roles, known: Path) -> None:
    asked: list[str] = []

    def answer(shown: HostKeyError) -> bool:
        asked.append(shown.host)
        return True

    first = flow.replace("host01", address="host02", roles=roles, accept_key=answer, check=None)
    assert {node.name: (node.state, node.done) for node in first.nodes}["host01"] == ("ready", 4)
    assert first.edits == ("write host02 for host01 in the `addresses` of host01",)
    again = flow.replace("host01", address="host02", roles=roles, accept_key=answer, check=None)
    assert again.bad() == () and asked == ["host02"]
    assert len(known.read_text().splitlines()) == 3


def test_a_person_at_a_terminal_is_shown_the_key(
    hosts: Sequence[Host], roles: Roles, known: Path, slurm: WrittenSlurm
) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    words = ("cluster", "replace", "host01", "--address", "host02", "--no-check")
    with at_terminal(environment, *words) as terminal:
        terminal.until(r"ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub[\s\S]*Is it the machine's own\?")
        terminal.type("n\n")
        assert terminal.end() == 5
    with at_terminal(environment, *words, "--yes") as terminal:
        assert terminal.end() == 5
        assert "Is it" not in terminal.seen and "give the same command again" in terminal.seen
    assert len(known.read_text().splitlines()) == 2
    with at_terminal(environment, *words) as terminal:
        terminal.until("own\\?")
        terminal.type("y\n")
        terminal.until("Go on\\?")
        terminal.type("n\n")
        assert terminal.end() == 130
    assert len(known.read_text().splitlines()) == 3 and slurm.changes() == []


def test_a_key_that_was_accepted_by_hand_is_not_forgotten(
    hosts: Sequence[Host], roles: Roles, known: Path
) -> None:
    known.write_text("".join(keys_of(hosts)))
    replaced = flow.replace("host01", address="host02", roles=roles, check=None)
    assert replaced.bad() == ()


def test_at_the_same_address_the_new_key_takes_the_place_of_the_old(
    hosts: Sequence[Host], roles: Roles, known: Path, tmp_path: Path
) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "old")], check=True)
    old = (tmp_path / "old.pub").read_text()
    known.write_text(f"{keys_of(hosts)[0]}[127.0.0.1]:{hosts[1].port} {old}")
    with pytest.raises(RemoteError, match="a changed host key") as refused:
        flow.replace("host01", roles=roles, check=None)
    assert f"ssh-keygen -f {known} -R '[127.0.0.1]:{hosts[1].port}' && ssh -o" in refused.value.hint
    assert flow.replace("host01", roles=roles, accept_key=accept, check=None).bad() == ()
    assert old.split()[1] not in known.read_text()


def test_nothing_is_changed_before_it_is_agreed_to(roles: Roles, slurm: WrittenSlurm) -> None:
    def refuse(prepared: Prepared) -> None:
        assert {step.node for step in prepared.steps_left} == {"host01"}
        raise InterruptedByUser("here", found="no", expected="yes")

    with pytest.raises(InterruptedByUser):
        flow.replace("host01", roles=roles, agree=refuse, check=None)
    assert slurm.changes() == []
    assert [node.done for node in flow.status().nodes] == [4, 4]


def test_it_is_drained_taken_off_the_scheduler_and_joins_anew(roles: Roles, slurm: WrittenSlurm) -> None:
    seen: list[dict[str, str]] = []
    flow.replace(
        "host01",
        address="host02",
        roles=roles,
        accept_key=accept,
        check=None,
        on_progress=lambda progress: seen.append(slurm.states()),
    )
    assert slurm.changes() == [("DRAIN", "host01"), ("delete", "host01")]
    assert seen and all("host01" not in states for states in seen)


def test_at_the_same_address_it_takes_no_work_until_it_is_ready(roles: Roles, slurm: WrittenSlurm) -> None:
    seen: list[str] = []
    flow.replace(
        "host01", roles=roles, check=None, on_progress=lambda _: seen.append(slurm.states()["host01"])
    )
    assert set(seen) == {"IDLE+DRAIN"}
    assert slurm.changes() == [("DRAIN", "host01"), ("UNDRAIN", "host01")]
    assert slurm.states()["host01"] == "IDLE"


def interrupted(roles: Roles) -> None:
    """Replace a node, and end that in the middle of it."""

    def stop(progress: Progress) -> None:
        if (progress.name, progress.state) == ("frame", "begun"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        flow.replace("host01", roles=roles, check=None, on_progress=stop)


def test_who_finishes_it_gives_back_what_it_drained(roles: Roles, slurm: WrittenSlurm) -> None:
    interrupted(roles)
    assert slurm.states()["host01"] == "IDLE+DRAIN"
    assert "ogai:removal another machine takes its place" in slurm.reason("host01")
    finished = flow.up(limit="host01", roles=roles, check=None)
    assert finished.bad() == () and slurm.states()["host01"] == "IDLE"


def test_a_drain_of_a_removal_that_was_not_finished_is_nobodys_to_lift(
    roles: Roles, slurm: WrittenSlurm
) -> None:
    interrupted(roles)
    slurm.join("host01", "ALLOCATED")
    with pytest.raises(Exception, match="work that still runs"):
        flow.remove("host01", wait_s=0, roles=roles)
    flow.up(limit="host01", roles=roles, check=None)
    assert slurm.states()["host01"] == "ALLOCATED+DRAIN"


def test_what_a_person_drained_stays_drained(roles: Roles, slurm: WrittenSlurm) -> None:
    slurm.join("host01", "IDLE+DRAIN", "ogai:ada its fan is loud (ada, 2026-01-02T03:04:05Z)")
    assert flow.replace("host01", roles=roles, check=None).bad() == ()
    assert slurm.changes() == []
    slurm.join("host01", "IDLE+DRAIN", "ogai:gate node.memory (root, 2026-01-02T03:04:05Z)")
    assert flow.replace("host01", roles=roles, check=None).bad() == ()
    assert slurm.states()["host01"] == "IDLE", "a drain of the checks was that of the machine that is gone"


def test_one_node_at_a_time(roles: Roles) -> None:
    with pytest.raises(UsageError, match="expected one node of host00, host01"):
        flow.replace("host[00-01]", roles=roles)
