"""Hosts find by lldpd which switch they hang on, and Slurm is told; the switches are frames put on their cables."""

import json
import os
import time
from collections.abc import Iterator, Mapping

import pytest
import yaml

from l0_infra.core.nodeset import expand
from tests.support.labs import skip_without_lab
from tests.support.lldp import send_frame
from tests.support.real_clusters import RealCluster

pytestmark = pytest.mark.real

NODES = 3
WAIT_S = 30.0


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """Bring a cluster up that has its switches found, and leave nothing of it."""
    skip_without_lab()
    real = RealCluster(name=f"t-lldp-{os.getpid()}", home=tmp_path_factory.mktemp("home"))
    try:
        answer = real.lab_up(NODES)
        assert answer.code == 0, answer.err
        written = yaml.safe_load(real.document.read_text())
        wished = {**written.get("scheduler", {}), "switches_from": "lldp", "accounting": False}
        real.document.write_text(yaml.safe_dump({**written, "scheduler": wished}, sort_keys=False))
        yield real
    finally:
        real.ogai("lab", "down", real.name)


def cables(lab: RealCluster) -> Mapping[str, str]:
    """Return this machine's end of each host's cable."""
    hosts = json.loads(lab.lab_file.read_text())["hosts"]
    return {host["name"]: f"ogl{lab.lab_id}-{host['number']}" for host in hosts}


def heard(lab: RealCluster, host: str) -> list[str]:
    answer = lab.ogai("node", "facts", host, "--cluster", str(lab.document), "-o", "json")
    (one,) = json.loads(answer.out)
    return [neighbor["name"] for neighbor in one["neighbors"] or []]


def tell(lab: RealCluster, host: str, switch: str, number: int, *, seconds: int = 3600) -> None:
    """Send a switch's frame, and wait until the host has it, or (after 0 seconds) has it no more."""
    end = time.monotonic() + WAIT_S
    while (switch in heard(lab, host)) != bool(seconds):
        assert time.monotonic() < end, f"{host} hears {heard(lab, host)}"
        send_frame(cables(lab)[host], switch, number, seconds=seconds)
        time.sleep(0.5)


def told(lab: RealCluster) -> dict[str, list[str]]:
    """Return what slurmctld says of each switch: the nodes at or below it."""
    lines = lab.said(lab.hosts[0], "scontrol", "show", "topology").splitlines()
    words = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]
    return {one["SwitchName"]: list(expand(one["Nodes"])) for one in words}


def done(lab: RealCluster) -> dict[str, int]:
    """Bring the cluster up again; count the roles that were applied on each node."""
    answer = lab.up("--no-check")
    assert answer.code == 0, answer.err
    return {node["name"]: node["done"] for node in answer.json["nodes"]}


def work_runs_on_all(lab: RealCluster) -> bool:
    said = lab.said(lab.hosts[0], "srun", f"-N{NODES}", "hostname")
    return sorted(said.splitlines()) == lab.hosts


def test_switches_are_found_written_and_followed(lab: RealCluster) -> None:
    first = lab.up()
    assert first.code == 0, first.err
    assert "none found, so none is considered" in first.err

    one, two, three = lab.hosts
    tell(lab, one, "leaf1", 1)
    tell(lab, two, "leaf1", 1)
    assert done(lab) == {one: 1, two: 0, three: 0}
    assert told(lab) == {"leaf1": [one, two], "ogai-unplaced": [three], "ogai-all": lab.hosts}
    assert work_runs_on_all(lab)

    tell(lab, three, "leaf2.lab.example", 2)
    assert done(lab) == {one: 1, two: 0, three: 0}
    assert told(lab) == {"leaf1": [one, two], "leaf2": [three], "ogai-all": lab.hosts}
    assert work_runs_on_all(lab)

    assert set(done(lab).values()) == {0}
    tell(lab, three, "leaf2.lab.example", 2, seconds=0)
    tell(lab, three, "leaf1", 1)
    moved = [one for one in lab.cluster("diff").json["deviations"] if one["name"] == "switches"]
    assert [(one["node"], one["left"], one["found"]) for one in moved] == [(three, "leaf2", "leaf1")]
