"""What adding a node costs, by count: its own work and the controller's, however large the cluster is."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from l0_infra import Entry, Ledger
from l0_infra.apply.keys import parts_of
from l0_infra.core.errors import FactsMissingError
from l0_infra.schemas import ApplyRole
from l1_podsys import MUNGE_KEY, PASSWORD, with_nodes
from l1_podsys.schemas import Cluster, Scheduler
from l1_podsys.schemas.settings import Runtime
from ogai.flows.cluster.place import ClusterPlace
from ogai.flows.cluster.prepare import Prepared, prepare, settle
from ogai.flows.wheel import own_wheel
from ogai.render.cluster.plan import plan_text
from tests.support.scripted_clusters import ROLES, ScriptedNodes, a_cluster

NEW = "n99999"


@contextmanager
def ledger_of(place: ClusterPlace) -> Iterator[Ledger]:
    place.prepare()
    for name in (MUNGE_KEY, PASSWORD):
        (place.secrets / name).write_bytes(os.urandom(8))
    with Ledger.at(place.ledger) as ledger:
        yield ledger


def look(
    cluster: Cluster, place: ClusterPlace, names: list[str], ledger: Ledger
) -> tuple[Prepared, ScriptedNodes]:
    with ScriptedNodes(cluster) as nodes:
        return prepare(cluster, place, names, nodes, ledger, roles=ROLES, sudo=False), nodes


def all_done(prepared: Prepared) -> list[Entry]:
    sheets = prepared.roles.by_name
    return [
        Entry(
            id=step.id,
            node=step.node,
            name=step.id.partition(":")[2],
            key=step.key,
            parts=parts_of(
                step, sheets[step.action.role].sha256 if isinstance(step.action, ApplyRole) else ""
            ),
            state="done",
            at=time.time(),
        )
        for step in prepared.plan.steps
    ]


def brought_up(size: int, place: ClusterPlace, ledger: Ledger) -> Cluster:
    """Take a cluster for brought up: every step is in the ledger, with what a look finds."""
    cluster = a_cluster(size)
    looked, nodes = look(cluster, place, [f"n{index:05}" for index in range(1, size + 1)], ledger)
    prepared = settle(looked, nodes, sudo=False)
    ledger.save(*all_done(prepared))
    found = {
        step.id: prepared.looks[step.node].of(prepared.things[step.id])
        for step in prepared.plan.steps
        if step.id in prepared.things
    }
    ledger.note_found(found)
    return cluster


def added(size: int, folder: Path) -> tuple[Mapping[str, list[str]], Mapping[str, int]]:
    place = ClusterPlace(home=folder, name="pod")
    with ledger_of(place) as ledger:
        cluster = with_nodes(brought_up(size, place, ledger), [NEW], addresses=["10.250.0.1"])
        prepared, nodes = look(cluster, place, [NEW], ledger)
    left: dict[str, list[str]] = {}
    for step in prepared.steps_left:
        left.setdefault(step.node, []).append(step.id.partition(":")[2])
    return left, nodes.trips


@pytest.mark.parametrize("size", [10, 100, 1000, 5000])
def test_a_new_node_is_its_own_work_and_two_roles_of_the_controller(size: int, tmp_path: Path) -> None:
    left, trips = added(size, tmp_path)
    assert {node: sorted(names) for node, names in left.items()} == {
        "head": ["names", "prometheus"],
        NEW: sorted(
            ["python", "base", "time", "names", "users", "storage", "munge", "slurm_node", "node_exporter"]
        ),
    }
    assert trips == {"head": 2, NEW: 2}


def test_a_cluster_that_holds_has_nothing_left_and_says_what_drifted(tmp_path: Path) -> None:
    place = ClusterPlace(home=tmp_path, name="pod")
    with ledger_of(place) as ledger:
        cluster = brought_up(10, place, ledger)
        names = [f"n{index:05}" for index in range(1, 11)]
        prepared, nodes = look(cluster, place, names, ledger)
        assert prepared.steps_left == () and set(nodes.trips.values()) == {2}
        with ScriptedNodes(cluster) as moved:
            moved.found = {**moved.found, "service": "failed enabled"}
            sick = prepare(cluster, place, ["n00003"], moved, ledger, roles=ROLES, sudo=False)
    assert sick.left.reasons["n00003:munge"] == "does not hold: service munge is failed enabled"


def test_a_changed_secret_is_a_changed_role_everywhere_and_only_there(tmp_path: Path) -> None:
    place = ClusterPlace(home=tmp_path, name="pod")
    with ledger_of(place) as ledger:
        cluster = brought_up(3, place, ledger)
        (place.secrets / MUNGE_KEY).write_bytes(b"another")
        prepared, _ = look(cluster, place, ["n00001", "n00002", "n00003"], ledger)
    assert {step.id.partition(":")[2] for step in prepared.steps_left} == {"munge"}
    assert len(prepared.steps_left) == 4


@pytest.mark.parametrize("version", ["22.05", "24.11"])
def test_the_scheduler_never_loses_a_node_because_its_facts_were_lost(version: str, tmp_path: Path) -> None:
    place = ClusterPlace(home=tmp_path, name="pod")
    with ledger_of(place) as ledger:
        cluster = msgspec.structs.replace(brought_up(3, place, ledger), scheduler=Scheduler(version=version))
        (place.folder / "traits.json").unlink()
        with pytest.raises(FactsMissingError, match=r"n\[00002-00003\]: found no facts kept here") as raised:
            look(cluster, place, ["n00001"], ledger)
        assert "--limit head,n[00001-00003]" in raised.value.hint
        whole, _ = look(cluster, place, ["n00001", "n00002", "n00003"], ledger)
    conf = next(step for step in whole.plan.steps if step.id == "head:slurm_controller").action
    assert isinstance(conf, ApplyRole)
    listed = [f"NodeName={name} " in conf.variables["slurm_controller_conf"] for name in whole.names[1:]]
    assert listed == [version == "22.05"] * 3


def test_a_cluster_that_was_taken_on_is_first_looked_at_whole(tmp_path: Path) -> None:
    cluster, place = a_cluster(3), ClusterPlace(home=tmp_path, name="pod")
    with ledger_of(place) as ledger, ScriptedNodes(cluster, marks={"head": ("pod", "5f")}) as nodes:
        with pytest.raises(FactsMissingError, match="no facts kept here"):
            prepare(cluster, place, ["n00001"], nodes, ledger, roles=ROLES, sudo=False)
        names = ["n00001", "n00002", "n00003"]
        whole = prepare(cluster, place, names, nodes, ledger, roles=ROLES, sudo=False)
    assert "is taken on" in plan_text(whole)


def test_the_runtime_is_told_where_the_wheel_of_ogai_lies(tmp_path: Path) -> None:
    place = ClusterPlace(home=tmp_path, name="pod")
    with ledger_of(place) as ledger:
        prepared, _ = look(a_cluster(1), place, [], ledger)
        without = msgspec.structs.replace(a_cluster(1), runtime=Runtime(install=False))
        bare, _ = look(without, place, [], ledger)
    (told,) = (step.action for step in prepared.plan.steps if step.id == "head:runtime")
    assert isinstance(told, ApplyRole)
    wheel = Path(json.loads(told.variables["runtime_wheel"]))
    assert not wheel.exists()  # a plan writes nothing
    assert own_wheel(tmp_path) == wheel
    assert wheel.is_file() and wheel.is_relative_to(tmp_path / "cache") and wheel.suffix == ".whl"
    assert not [step for step in bare.plan.steps if step.id == "head:runtime"]
