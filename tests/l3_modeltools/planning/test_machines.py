"""The machine that accelerators are taken to be: nodes of eight, a port for each, domains as far as links reach."""

import pytest

from l0_infra import load_devices
from l3_modeltools import machine_like

SHEETS = {one.name: one for one in load_devices()}


@pytest.mark.parametrize(
    ("device", "devices", "nodes", "domain", "port"),
    [
        ("h100-sxm-80", 64, 8, 8, 5e10),  # 400 Gb/s behind PCIe 5.0
        ("a100-sxm-80", 4, 1, 4, 2.5e10),  # 200 Gb/s behind PCIe 4.0
        ("gb200-186", 144, 18, 72, 5e10),  # a rack is one domain
        ("gb300-279", 16, 2, 72, 1e11),
        ("ascend-910b2", 16, 2, 8, 2.5e10),  # a port of its own
    ],
)
def test_a_machine_follows_from_the_sheet(
    device: str, devices: int, nodes: int, domain: int, port: float
) -> None:
    machine = machine_like(SHEETS[device], devices, name="pod")
    assert (machine.device, machine.nodes, machine.domain) == (device, nodes, domain)
    assert machine.network is not None
    assert machine.network.bytes_per_s_per_device == port
    assert not list(machine.faults())


def test_nodes_and_ports_are_as_asked() -> None:
    machine = machine_like(SHEETS["gb200-186"], 8, name="trays", per_node=4, port=2.5e10)
    assert (machine.nodes, machine.devices_per_node, machine.domain) == (2, 4, 72)
    assert machine.network is not None
    assert machine.network.bytes_per_s_per_device == 2.5e10


def test_nodes_that_do_not_divide_a_domain_are_domains_of_their_own() -> None:
    assert machine_like(SHEETS["gb200-186"], 10, name="odd", per_node=5).domain == 5
