"""From bare hosts to a cluster that works, on a lab; nothing to do a second time; one broken node is named."""

import os
from collections.abc import Iterator

import pytest
import yaml

from tests.support.labs import leavings, skip_without_lab
from tests.support.real_clusters import Answer, RealCluster

pytestmark = pytest.mark.real

NODES = 3


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """Bring a lab up whose hosts have nothing on them, and leave nothing of it."""
    skip_without_lab()
    real = RealCluster(name=f"t-up-{os.getpid()}", home=tmp_path_factory.mktemp("home"))
    try:
        answer = real.lab_up(NODES)
        assert answer.code == 0, answer.err
        yield real
    finally:
        real.ogai("lab", "down", real.name)


OF_OTHERS = ("/etc/hosts", "/etc/resolv.conf", "/etc/apt/sources.list.d/debian.sources")


def of_others(lab: RealCluster) -> dict[str, str]:
    """Read the files of others that roles change, on every host."""
    return {
        host: lab.said(host, "sh", "-c", f"cat {' '.join(OF_OTHERS)}; ls /etc/apt/*") for host in lab.hosts
    }


@pytest.fixture(scope="module")
def untouched(lab: RealCluster) -> dict[str, str]:
    """Keep what stood there before; the document names a mirror, which is where the hosts' packages come from."""
    awk = ("awk", "/^URIs/ { print $2; exit }", OF_OTHERS[-1])
    written = yaml.safe_load(lab.document.read_text())
    lab.document.write_text(
        yaml.safe_dump({**written, "packages": {"apt_mirror": lab.said(lab.hosts[0], *awk)}}, sort_keys=False)
    )
    return of_others(lab)


@pytest.fixture(scope="module")
def first(lab: RealCluster, untouched: dict[str, str]) -> Answer:
    """Bring the cluster up on it for the first time."""
    return lab.up()


def test_bare_hosts_become_a_cluster_that_works(lab: RealCluster, first: Answer) -> None:
    assert first.code == 0, first.err
    assert [node["state"] for node in first.json["nodes"]] == ["ready"] * NODES
    assert first.json["troubles"] == []
    assert first.named() == set()
    assert first.json["health"]["verdicts"]
    assert lab.idle(), lab.slurm_states()
    said = lab.said(lab.hosts[0], "srun", f"-N{NODES}", "hostname")
    assert sorted(said.splitlines()) == lab.hosts


def test_a_second_run_starts_nothing_and_changes_nothing(lab: RealCluster, first: Answer) -> None:
    runs = lab.runs()
    assert runs, first.err
    again = lab.up()
    assert again.code == 0, again.err
    assert (again.json["run"], lab.runs()) == ("", runs)
    for node, before in zip(again.json["nodes"], first.json["nodes"], strict=True):
        assert (node["done"], node["changed"]) == (0, 0)
        assert node["held_already"] == before["held_already"] + before["done"]
    assert lab.cluster("diff").json["deviations"] == []


def test_a_node_that_lost_power_is_named_and_no_other(lab: RealCluster, first: Answer) -> None:
    assert first.code == 0, first.err
    broken = lab.hosts[1]
    assert lab.ogai("lab", "break", "power-off", broken).code == 0
    try:
        found = lab.cluster("check")
        assert (found.code, found.named()) == (6, {broken}), found.out + found.err
        assert broken in found.err
    finally:
        assert lab.ogai("lab", "heal", broken).code == 0
    lab.said(broken, "systemctl", "is-system-running", "--wait")
    healed = lab.cluster("check")
    assert healed.code == 0, healed.out + healed.err
    assert lab.said(lab.hosts[0], "srun", f"-N{NODES}", "--immediate=60", "hostname").count("\n") == NODES - 1


def test_a_cluster_that_is_taken_down_leaves_files_of_others_as_they_were(
    lab: RealCluster, first: Answer, untouched: dict[str, str]
) -> None:
    assert first.code == 0, first.err
    changed = of_others(lab)
    for host in lab.hosts:
        assert "# BEGIN ogai" in changed[host] and "#ogai# Types: deb" in changed[host]
        used = [line for line in changed[host].splitlines() if line.startswith("Suites: ")]
        assert used == ["Suites: bookworm-security"] and "ogai.sources" in changed[host]
    down = lab.ogai("cluster", "down", "--yes")
    assert down.code == 0, down.err
    assert of_others(lab) == untouched


def test_down_leaves_nothing_of_the_hosts(lab: RealCluster, first: Answer) -> None:
    assert first.code == 0, first.err
    lab_id = lab.lab_id
    assert leavings(lab.home, lab_id)
    assert lab.ogai("lab", "down", lab.name).code == 0
    assert leavings(lab.home, lab_id) == []
