"""PCI, ports and routes of this machine, held against /sys and `ip`; the scripts, run on trees made for them."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from l0_infra.core.exec import LocalRunner
from l0_infra.facts.ask import ask
from l0_infra.facts.bundle import NOT_ASKED, Answers, Source
from l0_infra.facts.fabric.ethtool import ETHTOOL, parse_ethtool
from l0_infra.facts.fabric.roce import MLNX_QOS, parse_mlnx_qos
from l0_infra.facts.fabric.sysfs import SYSFS, parse_sysfs
from l0_infra.facts.interconnect import SOURCES, parse_interconnect
from l0_infra.facts.routes import ROUTES, default_interface, parse_routes
from l0_infra.facts.topology.pci import KINDS, SYS_BUS_PCI, parse_sys_bus_pci
from l0_infra.facts.tree import parse_tree
from l0_infra.facts.vendor import Found
from l0_infra.schemas import PciDevice

pytestmark = pytest.mark.real
BUS = Path("/sys/bus/pci/devices")


def asked(*sources: Source) -> Answers:
    with LocalRunner() as runner:
        return ask(runner, sources, 10)


def first_line(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None


def of_this_machine(place: Path) -> PciDevice:
    """Read one device by hand, as far as this test compares it."""
    above = place.resolve().relative_to("/sys/devices").parts[1:-1]
    node = int(first_line(place / "numa_node") or -1)
    driver = place / "driver"
    return PciDevice(
        address=place.name,
        class_id=(first_line(place / "class") or "")[2:6],
        vendor_id=(first_line(place / "vendor") or "")[2:],
        device_id=(first_line(place / "device") or "")[2:],
        driver=driver.resolve().name if driver.exists() else None,
        numa_node=None if node < 0 else node,
        bridges=above,
    )


def test_pci_against_sys() -> None:
    found = {
        device.address: device for device in parse_sys_bus_pci(asked(SYS_BUS_PCI)["sys-bus-pci.txt"].out)
    }
    kinds = tuple(f"0x{kind}" for kind in KINDS)
    mine = [place for place in BUS.glob("*") if (first_line(place / "class") or "").startswith(kinds)]
    assert found.keys() == {place.name for place in mine}
    for place in mine:
        one, expected = found[place.name], of_this_machine(place)
        for field in ("address", "class_id", "vendor_id", "device_id", "driver", "numa_node", "bridges"):
            assert getattr(one, field) == getattr(expected, field), field


def test_pci_against_lspci() -> None:
    if shutil.which("lspci") is None:
        pytest.skip("lspci is not installed")
    told = asked(*SOURCES)
    devices = parse_interconnect(dict(told) | {"proc-mounts.txt": NOT_ASKED}, Found(), (), ()).pci
    assert devices is not None and all(device.name for device in devices)


def test_rdma_ports_against_sys() -> None:
    ports = parse_sysfs(parse_tree(asked(SYSFS)["sys-class-infiniband.txt"].out))
    there = Path("/sys/class/infiniband").glob("*/ports/*")
    assert {(one.device, one.port) for one in ports} == {(one.parts[4], int(one.name)) for one in there}


def test_the_default_route_against_ip() -> None:
    if shutil.which("ip") is None:
        pytest.skip("ip is not installed")
    said = subprocess.run(("ip", "-j", "route", "show", "default"), check=True, capture_output=True).stdout
    listed = json.loads(said or b"[]")
    found = default_interface(parse_routes(asked(ROUTES)["ip-route.txt"].out))
    assert not listed or found == min(listed, key=lambda one: one.get("metric", 0))["dev"]


def make(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(source: Source, root: Path) -> str:
    """Run a source's command as the bundle does, on a tree under `root` instead of /sys; take its output back."""
    moved = source.command.replace("/sys", f"{root}/sys").replace("/usr/share", f"{root}/usr/share")
    command = shlex.quote(moved)
    done = subprocess.run(
        ("sh", "-c", f'fact() {{ (eval "$3"); }}; fact name program {command}'),
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": f"{root}/bin:{os.environ['PATH']}", "LC_ALL": "C"},
    )
    assert done.stderr == ""
    return done.stdout.replace(f"{root}/sys", "/sys")


def test_ports_of_a_made_tree_with_entries_that_cannot_be_read(tmp_path: Path) -> None:
    device, port = "sys/class/infiniband/mlx5_0", "sys/class/infiniband/mlx5_0/ports/1"
    unset = "0000:0000:0000:0000:0000:0000:0000:0000"
    make(
        tmp_path,
        {
            f"{device}/fw_ver": "28.1.2\n",
            f"{device}/device/uevent": "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:c1:00.0\n",
            f"{device}/device/numa_node": "0\n",
            f"{device}/device/net/ib0/dev_port": "0\n",
            f"{port}/state": "4: ACTIVE\n",
            f"{port}/phys_state": "5: LinkUp\n",
            f"{port}/rate": "400 Gb/sec (4X NDR)\n",
            f"{port}/lid": "0x0\n",
            f"{port}/link_layer": "InfiniBand\n",
            f"{port}/counters/port_rcv_packets": "0\n",
            f"{port}/counters/symbol_error": "0\n",
            f"{port}/counters/link_downed": "2\n",
            f"{port}/hw_counters/out_of_sequence": "5\n",
            f"{port}/gids/0": "fe80:0000:0000:0000:b83f:d203:00bc:1e20\n",
            f"{port}/gids/1": f"{unset}\n",
            f"{port}/gid_attrs/types/0": "IB/RoCE v1\n",
            f"{port}/gid_attrs/types/1/a directory fails to be read, as an index without a GID does": "",
        },
    )
    out = run(SYSFS, tmp_path)
    (one,) = parse_sysfs(parse_tree(out))
    assert unset not in out
    assert (one.interface, one.pci, one.numa_node, one.lid) == ("ib0", "0000:c1:00.0", 0, 0)
    assert (one.guid, [gid.index for gid in one.gids or ()]) == ("0xb83fd20300bc1e20", [0])
    assert [(counter.name, counter.value) for counter in one.counters or ()] == [
        ("link_downed", 2),
        ("out_of_sequence", 5),
    ]


PCI_IDS = """# Vendors, and below each its devices and their cards
10dd  Maker of bridges
\t2330  Bridge
10de  Maker of cards
\t2330  Card [Eighth]
\t\t10de 2330  Card on a board
\t2331  Card [Ninth]
C 03  Display controller
\t02  3D controller
"""


def test_pci_of_a_made_tree(tmp_path: Path) -> None:
    root, gpu, bridge = "pci0000:15", "0000:16:00.0", "0000:15:01.0"
    inside = f"sys/devices/{root}/{bridge}"
    make(
        tmp_path,
        {
            f"{inside}/class": "0x060400\n",
            f"{inside}/max_link_speed": "16.0 GT/s PCIe\n",
            f"{inside}/{gpu}/class": "0x030200\n",
            f"{inside}/{gpu}/vendor": "0x10de\n",
            f"{inside}/{gpu}/device": "0x2330\n",
            "usr/share/misc/pci.ids": PCI_IDS,
            f"{inside}/{gpu}/uevent": "DRIVER=nvidia\nPCI_CLASS=30200\nPCI_ID=10DE:2330\n",
            f"{inside}/{gpu}/numa_node": "1\n",
            f"{inside}/{gpu}/current_link_speed": "32.0 GT/s PCIe\n",
            f"{inside}/{gpu}/current_link_width": "16\n",
            f"{inside}/{gpu}/max_link_speed": "32.0 GT/s PCIe\n",
        },
    )
    devices = tmp_path / "sys/bus/pci/devices"
    devices.mkdir(parents=True)
    (devices / bridge).symlink_to(f"../../../devices/{root}/{bridge}")
    (devices / gpu).symlink_to(f"../../../devices/{root}/{bridge}/{gpu}")
    (one,) = parse_sys_bus_pci(run(SYS_BUS_PCI, tmp_path))
    assert (one.address, one.bridges, one.numa_node) == (gpu, (bridge,), 1)
    assert one.name == "Maker of cards Card [Eighth]"
    assert one.link and (one.link.generation, one.link.width) == (5, 16)
    assert (one.link.generation_max, one.link.generation_device_max) == (4, 5)


def test_without_such_devices_the_scripts_say_nothing(tmp_path: Path) -> None:
    for source in (SYSFS, SYS_BUS_PCI, ETHTOOL, MLNX_QOS):
        assert run(source, tmp_path) == ""


def test_tools_are_run_once_for_each_interface(tmp_path: Path) -> None:
    net = "sys/class/infiniband/mlx5_{}/device/net/{}"
    make(tmp_path, {f"{net.format(0, 'ib0')}/type": "32\n", f"{net.format(1, 'ens1')}/type": "1\n"})
    make(
        tmp_path,
        {
            "bin/ethtool": '#!/bin/sh\n[ "$1" = -a ] && printf "RX:\\t\\toff\\n"\n[ "$1" = -S ] || exit 0\n'
            'printf "NIC statistics:\\n     rx_discards_phy: 7\\n     rx_packets: 8\\n"\n',
            "bin/mlnx_qos": '#!/bin/sh\necho "Priority trust state: dscp"\n',
        },
    )
    for tool in (tmp_path / "bin").iterdir():
        tool.chmod(0o755)
    out = run(ETHTOOL, tmp_path)
    told = parse_ethtool(out)
    assert "rx_packets" not in out
    assert {name: [one.value for one in told[name].counters or ()] for name in told} == {
        "ib0": [7],
        "ens1": [7],
    }
    assert {one.pause_rx for one in told.values()} == {False}
    assert parse_mlnx_qos(run(MLNX_QOS, tmp_path)).keys() == {"ens1"}
