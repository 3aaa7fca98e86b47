"""Slurm's files, whole, for clusters and versions of Slurm; and what a new node changes in them."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from l0_infra.schemas import OperatingSystem
from l1_podsys.schemas import Cluster
from l1_podsys.slurm import (
    Controller,
    Devices,
    NodeShape,
    SlurmMember,
    node_conf_line,
    nodes_join,
    render_cgroup_conf,
    render_database_conf,
    render_gres_conf,
    render_slurm_conf,
    render_slurmdbd_conf,
    render_topology_conf,
    slurm_version,
)

CASES = sorted((Path(__file__).parent / "cases/configuration").glob("*.yaml"))


class Case(msgspec.Struct, frozen=True, kw_only=True):
    cluster: Cluster
    controller: Controller
    members: list[SlurmMember]
    wanted: dict[str, str]


def load(path: Path) -> Case:
    read: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    cluster = msgspec.convert({"kind": "cluster", **read["cluster"]}, Cluster)
    controller = Controller(
        name="head", address="10.0.0.1", version=tuple(read["version"]), contained=read["contained"]
    )
    members = [
        SlurmMember(name=one["name"], address=one["address"], shape=msgspec.convert(one["shape"], NodeShape))
        for one in read["members"]
    ]
    wanted = {name: text for name, text in read.items() if name.endswith(".conf")}
    return Case(cluster=cluster, controller=controller, members=members, wanted=wanted)


def plain(text: str) -> str:
    """Leave out comments."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))


def rendered(case: Case) -> dict[str, str]:
    return {
        "slurm.conf": render_slurm_conf(case.cluster, case.controller, case.members),
        "gres.conf": render_gres_conf(case.members),
        "cgroup.conf": render_cgroup_conf(case.cluster, case.controller),
        "topology.conf": render_topology_conf(case.cluster.scheduler.switches),
    }


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_files_of_a_cluster(path: Path) -> None:
    case = load(path)
    assert {name: plain(text) for name, text in rendered(case).items()} == case.wanted


def test_a_new_node_without_accelerators_changes_no_file() -> None:
    case = load(CASES[0].with_name("debian13.yaml"))
    more = SlurmMember(name="n9", address="10.0.0.9", shape=case.members[1].shape)
    bare = msgspec.structs.replace(more.shape, devices=())
    larger = msgspec.structs.replace(
        case, members=[*case.members, SlurmMember(name="n9", address="10.0.0.9", shape=bare)]
    )
    assert rendered(larger) == rendered(case)


def test_a_new_node_with_accelerators_changes_one_line_of_gres_conf_alone() -> None:
    case = load(CASES[0].with_name("debian13.yaml"))
    more = SlurmMember(name="n4", address="10.0.0.5", shape=case.members[1].shape)
    larger = rendered(msgspec.structs.replace(case, members=[*case.members, more]))
    before = rendered(case)
    assert {name for name in before if before[name] != larger[name]} == {"gres.conf"}
    assert "NodeName=n[2-4] " in larger["gres.conf"]


def test_every_vendor_says_how_work_learns_of_its_accelerators() -> None:
    def member(vendor: str, file: str) -> SlurmMember:
        devices = (Devices(vendor=vendor, type="x", files=(file,)),)
        return SlurmMember(name=vendor, address="", shape=NodeShape(cpus=1, memory_mib=1024, devices=devices))

    text = render_gres_conf(
        [
            member("nvidia", "/dev/nvidia3"),
            member("amd", "/dev/dri/renderD128"),
            member("ascend", "/dev/davinci0"),
        ]
    )
    assert plain(text).splitlines() == [
        "NodeName=nvidia Name=gpu Type=x File=/dev/nvidia3 Flags=nvidia_gpu_env",
        "NodeName=amd Name=gpu Type=x File=/dev/dri/renderD128 Flags=amd_gpu_env",
        "NodeName=ascend Name=gpu Type=x File=/dev/davinci0 Flags=no_gpu_env",
    ]


def test_nodes_laid_out_otherwise_have_lines_of_their_own() -> None:
    def member(name: str, *cores: str) -> SlurmMember:
        devices = tuple(
            Devices(vendor="nvidia", type="t4", files=(f"/dev/nvidia{index}",), cores=one)
            for index, one in enumerate(cores)
        )
        return SlurmMember(name=name, address="", shape=NodeShape(cpus=8, memory_mib=1024, devices=devices))

    members = [member("a1", "0-1", "2-3"), member("a2", "0-1", "2-3"), member("b1", "2-3", "0-1")]
    assert plain(render_gres_conf([*members, member("c1", "")])).splitlines() == [
        "NodeName=a[1-2] Name=gpu Type=t4 File=/dev/nvidia0 Cores=0-1 Flags=nvidia_gpu_env",
        "NodeName=a[1-2] Name=gpu Type=t4 File=/dev/nvidia1 Cores=2-3 Flags=nvidia_gpu_env",
        "NodeName=b1 Name=gpu Type=t4 File=/dev/nvidia0 Cores=2-3 Flags=nvidia_gpu_env",
        "NodeName=b1 Name=gpu Type=t4 File=/dev/nvidia1 Cores=0-1 Flags=nvidia_gpu_env",
        "NodeName=c1 Name=gpu Type=t4 File=/dev/nvidia0 Flags=nvidia_gpu_env",
    ]


@pytest.mark.parametrize(
    ("system", "wanted", "version", "join"),
    [
        (("debian", "12"), None, (22, 5), False),
        (("debian", "13"), None, (24, 11), True),
        (("ubuntu", "22.04"), None, (21, 8), False),
        (("rocky", "9"), None, None, False),
        (("debian", "12"), "24.11.5", (24, 11), True),
    ],
)
def test_nodes_join_where_that_was_seen_to_work(
    system: tuple[str, str], wanted: str | None, version: tuple[int, int] | None, join: bool
) -> None:
    found = slurm_version(OperatingSystem(id=system[0], version=system[1]), wanted)
    assert (found, nodes_join(found)) == (version, join)


def test_a_new_node_that_is_listed_adds_its_line_to_slurm_conf() -> None:
    case = load(CASES[0].with_name("debian12.yaml"))
    bare = NodeShape(cpus=8, memory_mib=15900)
    more = SlurmMember(name="n9", address="10.0.0.9", shape=bare)
    before = rendered(case)
    larger = rendered(msgspec.structs.replace(case, members=[*case.members, more]))
    assert {name for name in before if before[name] != larger[name]} == {"slurm.conf"}
    added = set(larger["slurm.conf"].splitlines()) - set(before["slurm.conf"].splitlines())
    assert added == {f"NodeName=n9 NodeAddr=10.0.0.9 {node_conf_line(bare)} State=UNKNOWN"}


def test_the_password_of_accounting_is_nowhere_in_the_text() -> None:
    text = render_slurmdbd_conf(Controller(name="head", address="10.0.0.1"))
    assert "StoragePass" not in text
    assert "DbdHost=head\nDbdAddr=10.0.0.1\n" in text


@pytest.mark.parametrize(
    ("memory", "buffer"), [(0, 64), (2**31, 102), (2**40, 4096)], ids=["unknown", "2 GiB", "1 TiB"]
)
def test_the_database_takes_little_of_a_little_machine(memory: int, buffer: int) -> None:
    assert f"innodb_buffer_pool_size={buffer}M\n" in render_database_conf(memory)
