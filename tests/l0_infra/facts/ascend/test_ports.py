"""The NPUs' own ports as `hccn_tool` tells of them."""

import pytest

from l0_infra.facts.ascend.ports import fabric_port, parse_ports
from l0_infra.schemas import Accelerator, FabricPort

NPU = Accelerator(id="ascend:2", vendor="ascend", index=2, pci="0000:61:00.0")


def port(*lines: str) -> FabricPort:
    ports = parse_ports(["\n".join(("# hccn_tool -i 2 -any -g", *lines))])
    return fabric_port(NPU, ports[2])


@pytest.mark.parametrize(
    ("line", "rate"),
    [
        ("Speed: 200000 Mb/s", 200_000_000_000),
        ("[devid 2]Speed: 100000 Mb/s", 100_000_000_000),
        ("Speed: Unknown!", None),
        ("Speed: 2147483647000 Mb/s", None),
    ],
)
def test_rate(line: str, rate: int | None) -> None:
    assert port(line).rate_bits_per_s == rate


@pytest.mark.parametrize(
    ("line", "state"),
    [("link status: UP", "active"), ("link status: DOWN", "down"), ("link status: ERR!", None)],
)
def test_state(line: str, state: str | None) -> None:
    assert port(line).state == state


def test_counters_are_those_of_trouble_that_are_not_zero() -> None:
    found = port(
        "packet statistics:",
        "mac_rx_total_pkt_num:88123",
        "mac_rx_fcs_err_pkt_num:7",
        "roce_rx_err_pkt_num:0",
        "nic_tx_all_oct_num:5",
        "roce_tx_cnp_pkt_num:-1",
    )
    assert found.counters is not None
    assert [(one.name, one.value) for one in found.counters] == [("mac_rx_fcs_err_pkt_num", 7)]
    assert port("link status: UP").counters is None


def test_flaps_are_the_records_of_links_lost() -> None:
    records = [
        f"[devid 2]    Fri Mar  7 04:1{at}:09 2025    LINK {w}" for at, w in enumerate(("DOWN", "UP", "DOWN"))
    ]
    assert port("[devid 2]link up count : 9", *records).flaps == 2
    assert port("[devid 2]link up count : 9").flaps is None


def test_answers_before_any_command_belong_to_nobody() -> None:
    assert parse_ports(["link status: UP\n"]) == {}
    assert parse_ports(["# hccn_tool -i 4 -link -g\n# hccn_tool -i 5 -link -g\nlink status: UP"]).keys() == {
        5
    }
