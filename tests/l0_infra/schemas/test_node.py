import msgspec
import pytest

from l0_infra.schemas import Node, address_fault


@pytest.mark.parametrize(
    "address", ["10.7.0.21", "fd00:7::21", "n21", "n21.bmc.example.org", "n_21", "n21.example.org.", "7a"]
)
def test_addresses_and_host_names_are_accepted(address: str) -> None:
    assert address_fault(address, ()) is None


@pytest.mark.parametrize(
    "address",
    ["999.1.1.1", "10.7.0", "10.7.0.021", "10.7.0.21.4", "fd00::7::21", "n 21", "-n21", "n21..org", ""],
)
def test_what_looks_like_an_address_and_is_none_is_refused(address: str) -> None:
    assert address_fault(address, ("address",)) is not None


def test_both_addresses_are_reported_at_once() -> None:
    node = Node(name="n21", address="10.7.300.1", bmc_address="10.8.0.999")
    assert [fault.path for fault in node.faults()] == [("address",), ("bmc_address",)]


def test_labels_stay_as_typed() -> None:
    typed = {"name": "no", "serial": "0098765", "rack": "010", "rack_unit": "07", "mac": "12:34:56:12:34:57"}
    node = msgspec.convert(typed, Node)
    assert {key: getattr(node, key) for key in typed} == typed
