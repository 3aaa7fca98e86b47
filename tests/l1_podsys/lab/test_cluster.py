"""The document of a lab is one that bring-up takes, and says what the hosts are."""

from pathlib import Path

from l0_infra.core.documents import parse_document
from l1_podsys.lab.cluster import describe_lab_cluster, render_lab_cluster
from l1_podsys.lab.layout import Layout
from l1_podsys.schemas import Cluster
from tests.support.labs import a_lab

LAYOUT = Layout(folder=Path("/home/labs/t-paper"))


def test_the_document_reads_back_as_the_same_cluster() -> None:
    cluster = describe_lab_cluster(a_lab(nodes=5, vary=True), LAYOUT)
    assert parse_document(render_lab_cluster(cluster), source="lab.yaml", expect=Cluster) == cluster


def test_the_first_host_leads_and_equal_hosts_are_one_class() -> None:
    cluster = describe_lab_cluster(a_lab(nodes=5, vary=True), LAYOUT)
    groups = {group.names: (group.node_class, group.roles) for group in cluster.nodes}
    head, worker = ("head", "login", "storage", "compute"), ("compute",)
    assert groups == {
        "t-paper-1": ("2048mib", head),
        "t-paper-[2,4]": ("2048mib-gpu2", worker),
        "t-paper-3": ("1024mib", worker),
        "t-paper-5": ("2048mib", worker),
    }
    assert cluster.scheduler.controller == "t-paper-1"


def test_a_lab_of_one_host_is_a_cluster_too() -> None:
    cluster = describe_lab_cluster(a_lab(nodes=1), LAYOUT)
    assert [group.names for group in cluster.nodes] == ["t-paper-1"]
    assert render_lab_cluster(cluster).count("default") == 0  # what is left at its default is not written


def test_it_says_how_hosts_are_reached_and_where_they_share_files() -> None:
    cluster = describe_lab_cluster(a_lab(), LAYOUT)
    assert (cluster.ssh.user, cluster.ssh.sudo) == ("ogai", True)
    assert cluster.ssh.identity_file == "/home/labs/t-paper/id_ed25519"
    assert cluster.ssh.known_hosts_file == "/home/labs/t-paper/known_hosts"
    assert [(one.mountpoint, one.filesystem) for one in cluster.storage] == [("/shared", "existing")]
    assert [(one.cidr, one.interfaces) for one in cluster.networks] == [("10.217.7.0/24", ("eth0",))]
