"""An upgrade at work, over real ssh: wave by wave out of work, changed, checked and given back, until one is sick."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from l0_infra.core.documents import render_document
from l0_infra.core.errors import EngineError
from l0_infra.core.nodeset import expand
from l1_podsys.schemas import Health, Verdict
from ogai.flows import cluster as flow
from ogai.flows.cluster.prepare import Roles
from ogai.flows.cluster.work import Work
from tests.support.loopback_hosts import Host, hosts_on_loopback
from tests.support.playbooks import program
from tests.support.small_clusters import find_by_ssh, roles_in, small_cluster, small_roles
from tests.support.written_slurm import WrittenSlurm

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not program(), reason="needs ansible-playbook (pip install 'ogai[cluster]')"),
]

NAMES = "host[00-04]"


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> WrittenSlurm:
    return WrittenSlurm(folder=tmp_path_factory.mktemp("slurm"))


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory, slurm: WrittenSlurm) -> Iterator[tuple[Host, ...]]:
    if shutil.which("ssh") is None:
        pytest.skip("needs ssh (Debian: openssh-client)")
    try:
        with hosts_on_loopback(5, tmp_path_factory.mktemp("hosts"), programs=slurm.folder) as started:
            yield started
    except FileNotFoundError as error:
        pytest.skip(f"needs {error}")


@pytest.fixture(scope="module")
def brought_up(hosts: Sequence[Host], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Bring a cluster of five up, once; the first leads, and all compute."""
    folder = tmp_path_factory.mktemp("cluster")
    document = folder / "cluster.yaml"
    document.write_text(render_document(small_cluster(NAMES, engine="slurm")))
    with pytest.MonkeyPatch.context() as patch, find_by_ssh(hosts[0], folder):
        patch.setenv("OGAI_HOME", str(folder / "home"))
        flow.up(document, roles=small_roles(folder), check=None)
        yield folder


@pytest.fixture
def changed(brought_up: Path, slurm: WrittenSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Roles:
    """Have a cluster that is up, and a role that was changed since."""
    monkeypatch.setenv("OGAI_HOME", str(shutil.copytree(brought_up / "home", tmp_path / "home")))
    shutil.copytree(brought_up / "roles", tmp_path / "roles")
    with (tmp_path / "roles/roof/tasks/main.yml").open("a") as tasks:
        tasks.write("# thatched\n")
    slurm.start(*expand(NAMES))
    return roles_in(tmp_path)


class Checks:
    """A gate that knows who is sick, and who was out of work when it looked at whom."""

    def __init__(self, slurm: WrittenSlurm, sick: str = "") -> None:
        self.slurm, self.sick = slurm, sick
        self.seen: list[tuple[list[str], list[str]]] = []

    def __call__(self, work: Work, names: Sequence[str]) -> Health:
        drained = [name for name, state in self.slurm.states().items() if "DRAIN" in state]
        self.seen.append((list(names), drained))
        verdicts = [
            Verdict(node=name, check="node.memory", severity="critical", found="f", expected="e", hint="h")
            for name in names
            if name == self.sick
        ]
        return Health(cluster="small", level="quick", checked_at=0.0, verdicts=tuple(verdicts))


def test_a_share_at_a_time_is_out_of_work_and_given_back(changed: Roles, slurm: WrittenSlurm) -> None:
    waves: list[str] = []
    checks = Checks(slurm)
    brought = flow.upgrade(share=0.4, roles=changed, check=checks, on_wave=waves.append)
    assert waves == ["host00", "host[01-02]", "host[03-04]"]
    assert checks.seen == [(expand_list(wave), expand_list(wave)) for wave in waves]
    assert set(slurm.states().values()) == {"IDLE"}
    assert {(node.state, node.done) for node in brought.nodes} == {("ready", 1)}
    assert flow.upgrade(roles=changed, check=checks).run == "" and len(checks.seen) == len(waves)


def test_the_first_wave_with_a_sick_node_is_the_last_and_stays_drained(
    changed: Roles, slurm: WrittenSlurm
) -> None:
    checks = Checks(slurm, sick="host02")
    brought = flow.upgrade(share=0.4, roles=changed, check=checks)
    assert [names for names, _ in checks.seen] == [["host00"], ["host01", "host02"]]
    assert brought.bad() == ("host02",)
    assert [name for name, state in slurm.states().items() if "DRAIN" in state] == ["host01", "host02"]
    assert "ogai:upgrade" in slurm.reason("host01")

    mended = Checks(slurm)
    assert flow.upgrade(share=0.4, roles=changed, check=mended).bad() == ()
    assert [names for names, _ in mended.seen] == [["host01", "host02"], ["host03", "host04"]]
    assert set(slurm.states().values()) == {"IDLE"}


def test_a_wave_that_fails_is_not_checked_and_the_others_are_left_alone(
    changed: Roles, slurm: WrittenSlurm, tmp_path: Path
) -> None:
    tasks = tmp_path / "roles/roof/tasks/main.yml"
    tasks.write_text(f"{tasks.read_text()}- name: Fall\n  ansible.builtin.fail:\n    msg: rotten\n")
    checks = Checks(slurm)
    brought = flow.upgrade(share=0.4, roles=roles_in(tmp_path), check=checks)
    assert checks.seen == [] and brought.bad() == ("host00",)
    assert [one.message.strip() for one in brought.troubles] == ["rotten"]
    assert [name for name, state in slurm.states().items() if "DRAIN" in state] == ["host00"]


def test_a_node_at_work_is_waited_for_and_then_told(changed: Roles, slurm: WrittenSlurm) -> None:
    slurm.join("host01", "ALLOCATED")
    with pytest.raises(EngineError, match="host01: found work that still runs"):
        flow.upgrade(share=0.2, roles=changed, check=Checks(slurm), wait_s=0)
    assert slurm.states()["host01"] == "ALLOCATED+DRAIN"
    assert {node.name: node.done for node in flow.status().nodes}["host01"] == 4


def expand_list(text: str) -> list[str]:
    return list(expand(text))
