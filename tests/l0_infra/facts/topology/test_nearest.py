"""Which RDMA devices are next to an accelerator, where a table and the ports do not name the same devices."""

import pytest

from l0_infra.facts.bundle import NOT_ASKED, Answer
from l0_infra.facts.probe import SOURCES, parse_node
from l0_infra.schemas import Topology

TABLE = (
    "\tGPU0\tNIC0\tNIC1\nGPU0\t X \tPIX\tSYS\nNIC0\tPIX\t X \tSYS\nNIC1\tSYS\tSYS\t X \n"
    "\nNIC Legend:\n\n  NIC0: mlx5_3\n  NIC1: mlx5_11\n"
)


def port(device: str, state: str) -> str:
    return f"CA '{device}'\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: {state}\n\t\tRate: 200\n"


def topology_of(*ports: str) -> Topology:
    told = {"topo-m.txt": TABLE, "ibstat.txt": "".join(ports)}
    answers = {source.name: NOT_ASKED for source in SOURCES}
    answers |= {name: Answer(end="exit", code=0, out=text) for name, text in told.items()}
    topology = parse_node(answers, 0.0).topology
    assert topology is not None
    return topology


@pytest.mark.parametrize(("state", "nearest"), [("Down", [("nvidia:0", ("mlx5_3",))]), ("Active", [])])
def test_a_port_outside_the_table_leaves_the_nearest_open_only_where_it_is_at_work(
    state: str, nearest: list[tuple[str, tuple[str, ...]]]
) -> None:
    found = topology_of(port("mlx5_3", "Active"), port("mlx5_11", "Active"), port("mlx5_20", state)).nearest
    assert [(one.accelerator, one.ports) for one in found] == nearest
