"""What only single tools tell, and what of it is no fact."""

import pytest

from l0_infra.facts.bundle import Answer
from l0_infra.facts.fabric.devinfo import parse_devinfo
from l0_infra.facts.fabric.ethtool import parse_ethtool
from l0_infra.facts.fabric.ibstat import ibstat_faults, parse_ibstat
from l0_infra.facts.fabric.merge import merge_ports, with_interface
from l0_infra.facts.fabric.rdma import parse_ibdev2netdev, parse_links, parse_links_text
from l0_infra.facts.fabric.roce import parse_dcb, parse_mlnx_qos, parse_roce_files
from l0_infra.facts.fabric.sysfs import parse_sysfs
from l0_infra.facts.tree import parse_tree
from l0_infra.schemas import Counter, FabricPort, RoceSettings

DEVINFO = """hca_id:\tmlx5_7
\tfw_ver:\t\t\t\t22.35.1012
\tboard_id:\t\t\tMT_0000000359
\tphys_port_cnt:\t\t\t1
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_DOWN (1)
\t\t\tmax_mtu:\t\t4096 (5)
\t\t\tactive_mtu:\t\t1024 (3)
\t\t\tsm_lid:\t\t\t0
\t\t\tport_lid:\t\t0
\t\t\tlink_layer:\t\tEthernet
"""
VERBOSE = """\t\t\tactive_width:\t\t2X (16)
\t\t\tactive_speed:\t\t50.0 Gbps (64)
\t\t\tphys_state:\t\tPOLLING (2)
\t\t\tGID[  1]:\t\tfe80::5aa2:e1ff:fe0b:12, RoCE v2
\t\t\tGID[  3]:\t\t::ffff:10.8.0.3, RoCE v2
\t\t\tGID[  5]:\t\tnonsense, RoCE v1
"""


def test_devinfo_short_and_verbose() -> None:
    (short,), (long,) = parse_devinfo(DEVINFO), parse_devinfo(DEVINFO + VERBOSE)
    assert (short.mtu_bytes, short.firmware_version, short.board) == (1024, "22.35.1012", "MT_0000000359")
    assert (short.physical_state, short.rate_bits_per_s, short.gids) == (None, None, None)
    assert (long.physical_state, long.rate_bits_per_s, long.width) == ("polling", 100 * 10**9, 2)
    assert [(gid.index, gid.gid, gid.kind) for gid in long.gids or ()] == [
        (1, "fe80:0000:0000:0000:5aa2:e1ff:fe0b:0012", "RoCE v2"),
        (3, "0000:0000:0000:0000:0000:ffff:0a08:0003", "RoCE v2"),
    ]


def test_devinfo_with_an_invalid_speed_has_no_rate() -> None:
    (port,) = parse_devinfo(
        DEVINFO + "\t\t\tactive_width:\t\t4X (2)\n\t\t\tactive_speed:\t\tinvalid speed (0)\n"
    )
    assert (port.width, port.rate_bits_per_s) == (4, None)


def test_ibstat_of_one_port() -> None:
    (port,) = parse_ibstat("CA: 'mlx5_3'\nPort 2:\nState: Armed\nPhysical state: LinkUp\nRate: 100\n")
    assert (port.device, port.port, port.state, port.rate_bits_per_s) == ("mlx5_3", 2, "armed", 100 * 10**9)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(end="exit", code=255, err="ibpanic: [9] main: stat of IB device 'a' failed"),
        Answer(
            end="exit", code=0, out="CA 'mlx5_0'\n\tPort 1:\nibpanic: [9] main: stat of IB device 'a' failed"
        ),
    ],
)
def test_that_ibstat_gave_up_is_told_live_and_from_a_file(answer: Answer) -> None:
    (fault,) = ibstat_faults(answer)
    assert fault.reason == "failed" and "IB device 'a'" in fault.detail and fault.hint


def test_links_as_json_old_and_new() -> None:
    new = '[{"ifindex":0,"ifname":"mlx5_0","port":1,"lid":77,"sm_lid":4,"state":"INIT","physical_state":"LINK_UP"}]'
    old = '[{"ifindex":0,"port":1,"ifname":"mlx5_0/1","lid":77,"sm_lid":4,"state":"INIT","physical_state":"LINK_UP"}]'
    text = "link mlx5_0/1 subnet_prefix fe80:0000:0000:0000 lid 77 sm_lid 4 lmc 0 state INIT physical_state LINK_UP "
    expected = FabricPort(
        device="mlx5_0", port=1, state="initializing", physical_state="linkup", lid=77, subnet_manager_lid=4
    )
    assert parse_links(new) == parse_links(old) == parse_links_text(text) == (expected,)
    assert parse_links("[ ]") == parse_links("no json") == ()


def test_ibdev2netdev_that_names_no_interface_tells_nothing() -> None:
    assert parse_ibdev2netdev("mlx5_0 port 1 ==>  (Down)\nmlx5_1 port 2 ==> ib1 (Down)\n") == (
        FabricPort(device="mlx5_1", port=2, interface="ib1"),
    )


def test_ports_are_in_natural_order_and_the_first_source_counts() -> None:
    first = (FabricPort(device="mlx5_10", port=1, state="active"), FabricPort(device="mlx5_2", port=2))
    second = (
        FabricPort(device="mlx5_2", port=1),
        FabricPort(device="mlx5_10", port=1, state="down", board="MT_1"),
    )
    assert merge_ports((first, second)) == (
        FabricPort(device="mlx5_2", port=1),
        FabricPort(device="mlx5_2", port=2),
        FabricPort(device="mlx5_10", port=1, state="active", board="MT_1"),
    )


@pytest.mark.parametrize(
    ("own", "expected"), [(None, ["rx_drops"]), ((), ["rx_drops"]), (("a_err",), ["a_err", "rx_drops"])]
)
def test_counters_of_the_interface_join_those_of_the_port(
    own: tuple[str, ...] | None, expected: list[str]
) -> None:
    counters = None if own is None else tuple(Counter(name=name, value=1) for name in own)
    port = FabricPort(device="mlx5_0", port=1, interface="e1", counters=counters)
    told = parse_ethtool("# ethtool -S e1\nNIC statistics:\n     rx_drops: 4\n")
    assert [one.name for one in with_interface(port, told).counters or ()] == expected
    assert with_interface(port, {}) == port
    assert with_interface(port, parse_ethtool("# ethtool -i e1\ndriver: x\n")).counters == counters


def test_ethtool_files_gathered_by_hand_name_the_interface_themselves() -> None:
    text = "Settings for ens2:\n\tSpeed: Unknown!\n\tLanes: 8\nPause parameters for ens4:\nRX:\t\ton\nTX:\t\toff\n"
    told = parse_ethtool(text)
    assert (told["ens2"].rate_bits_per_s, told["ens2"].width) == (None, 8)
    assert (told["ens4"].pause_rx, told["ens4"].pause_tx, told["ens4"].counters) == (True, False, None)


def test_qos_that_names_no_interface_belongs_to_none() -> None:
    assert parse_mlnx_qos("Priority trust state: dscp\n").keys() == {""}
    torn = "# mlnx_qos -i e1\nPriority trust state: both\nPFC configuration:\n\tenabled     0   0   1   0\n"
    assert parse_mlnx_qos(torn)["e1"] == RoceSettings()


def test_dcb_tells_priorities_and_that_dscp_is_trusted() -> None:
    flags = " ".join(f"{priority}:{'on' if priority in (0, 5) else 'off'}" for priority in range(8))
    text = f"# dcb pfc show dev e1\nprio-pfc {flags} \n# dcb -N app show dev e1\ndscp-prio 24:5 \n"
    assert parse_dcb(text) == {"e1": RoceSettings(trust="dscp", pfc_priorities=(0, 5))}


@pytest.mark.parametrize(
    ("line", "expected"),
    [("Global tclass=136", 136), ("Global tclass=300", None), ("tclass=1,src_ip=1.1.1.1", None)],
)
def test_forced_type_of_service(line: str, expected: int | None) -> None:
    tree = parse_tree(f"/sys/class/infiniband/mlx5_1/tc/1/traffic_class:{line}")
    assert parse_roce_files(tree, "mlx5_1", 1, None).traffic_class == expected


def test_congestion_control_counts_where_both_sides_of_it_are_on() -> None:
    place = "/sys/class/net/e1/ecn"
    lines = [f"{place}/roce_np/enable/{one}:{int(one in (1, 3))}" for one in range(8)]
    lines += [f"{place}/roce_rp/enable/{one}:{int(one in (3, 4))}" for one in range(8)]
    assert parse_roce_files(parse_tree("\n".join(lines)), "mlx5_1", 1, "e1").ecn_priorities == (3,)
    assert parse_roce_files(parse_tree("\n".join(lines[:-1])), "mlx5_1", 1, "e1").ecn_priorities is None


def test_counters_that_were_read_and_are_0_are_not_unread() -> None:
    port = "/sys/class/infiniband/mlx5_0/ports/1"
    (unread,), (read,) = (
        parse_sysfs(parse_tree(f"{port}/state:4: ACTIVE{more}"))
        for more in ("", f"\n{port}/counters/port_rcv_packets:0")
    )
    assert (unread.counters, read.counters) == (None, ())


def test_a_gid_that_is_none_is_left_out() -> None:
    port = "/sys/class/infiniband/mlx5_0/ports/1"
    lines = [
        f"{port}/gids/{at}:{text}" for at, text in enumerate(("what", "fe80:0000", "fd00" + ":0001" * 7))
    ]
    (one,) = parse_sysfs(parse_tree("\n".join(lines)))
    assert [gid.index for gid in one.gids or ()] == [2]
    assert one.guid is None
