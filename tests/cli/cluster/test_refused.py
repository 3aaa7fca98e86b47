"""What is refused before a plan is shown, and that nothing was written by then."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from l0_infra import Ledger
from l0_infra.core.errors import UnsatisfiableError, UsageError
from l1_podsys.schemas import Network
from ogai.flows.cluster.place import ClusterPlace
from ogai.flows.cluster.prepare import Prepared
from ogai.flows.cluster.up import bring_up
from ogai.flows.cluster.work import Work
from tests.support.scripted_clusters import ROLES, ScriptedNodes, a_cluster

NAMES = ["n00001", "n00002", "n00003"]


class AskedError(Exception):
    """The plan was shown."""


@contextmanager
def at_work(
    place: ClusterPlace,
    marks: Mapping[str, tuple[str, str]] | None = None,
    networks: tuple[Network, ...] = (),
) -> Iterator[Work]:
    cluster = msgspec.structs.replace(a_cluster(len(NAMES)), networks=networks)
    with ScriptedNodes(cluster, marks=marks) as nodes, Ledger.copy_of(place.ledger) as ledger:
        yield Work(cluster=cluster, place=place, nodes=nodes, ledger=ledger, sudo=False, password=None)


def show(work: Work) -> Prepared:
    """Bring up as far as to the question."""
    shown: list[Prepared] = []

    def agree(prepared: Prepared) -> None:
        shown.append(prepared)
        raise AskedError

    with pytest.raises(AskedError):
        bring_up(work, NAMES, roles=ROLES, agree=agree, on_node=None, on_progress=lambda progress: None)
    return shown[0]


@pytest.fixture
def place(tmp_path: Path) -> ClusterPlace:
    return ClusterPlace(home=tmp_path / "home", name="pod")


def test_nodes_of_another_cluster_are_refused_with_its_name_and_the_way_on(place: ClusterPlace) -> None:
    marks = {"n00001": ("blue", "5f"), "n00002": ("blue", "5f")}
    with at_work(place, marks) as work, pytest.raises(UnsatisfiableError) as raised:
        show(work)
    assert raised.value.where == "n[00001-00002]"
    assert "of cluster `blue` (id 5f)" in raised.value.found
    assert "ogai cluster remove n[00001-00002] --name blue" in raised.value.hint
    assert not place.home.exists()


def test_a_cluster_that_is_known_on_its_nodes_alone_is_taken_on(place: ClusterPlace) -> None:
    with at_work(place, {"n00001": ("pod", "5f")}) as work:
        prepared = show(work)
    assert (prepared.identity, prepared.adopted) == ("5f", True)


def test_two_of_the_same_name_are_told_apart(place: ClusterPlace) -> None:
    place.prepare()
    place.save_identity("60")
    with at_work(place, {"n00001": ("pod", "5f")}) as work, pytest.raises(UnsatisfiableError, match="id 60"):
        show(work)
    with at_work(place, {"n00001": ("pod", "60")}) as work:
        assert not show(work).adopted


def test_a_missing_ansible_is_told_before_anybody_is_asked(
    place: ClusterPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    with at_work(place) as work, pytest.raises(UsageError, match="ansible-playbook: found no such program"):
        show(work)


def test_nothing_is_written_before_the_plan_is_agreed_to(place: ClusterPlace) -> None:
    with at_work(place) as work:
        show(work)
    assert not place.home.exists()


def test_an_interface_that_no_node_has_is_told_with_those_there_are(place: ClusterPlace) -> None:
    networks = (
        Network(purpose="management", interfaces=("eth0",)),
        Network(purpose="compute", interfaces=("eth[0-1]", "mlx5_9")),
        Network(purpose="bmc", interfaces=("ipmi0",)),
    )
    with at_work(place, networks=networks) as work, pytest.raises(UnsatisfiableError) as raised:
        show(work)
    assert raised.value.where == "cluster `pod`, networks[0].interfaces"
    assert raised.value.found.startswith("`eth0`, which head,n[00001-00003] lack; head has bond0, ens3f0np0")
