"""What each port is for, and when that cannot be told."""

import msgspec
import pytest

from l0_infra.facts.fabric import is_active, judge_purposes, with_flaps
from l0_infra.facts.fabric.purpose import Use
from l0_infra.schemas import FabricPort, Nearest, PairPath


def port(name: str, board: str = "A", gigabits: int = 400, interface: str | None = None) -> FabricPort:
    return FabricPort(
        device=name,
        port=1,
        board=board,
        interface=interface,
        state="active",
        physical_state="linkup",
        rate_bits_per_s=gigabits * 10**9,
    )


def near(*devices: str, path: PairPath = "pix") -> tuple[Nearest, ...]:
    return tuple(
        Nearest(accelerator=f"nvidia:{at}", ports=(one,), path=path) for at, one in enumerate(devices)
    )


COMPUTE_AND_CARD = (port("a1"), port("a2"), port("b1", "B", 200), port("b2", "B", 200))

CASES = {
    "next to the accelerators": (
        COMPUTE_AND_CARD,
        near("a1", "a2"),
        Use(),
        ["compute", "compute", None, None],
    ),
    "the fastest and the most": (
        (port("a1"), port("a2"), port("b1", "B", 100)),
        (),
        Use(),
        ["compute", "compute", None],
    ),
    "the fastest but not the most": (
        (port("a1", gigabits=800), port("b1", "B"), port("b2", "B")),
        (),
        Use(),
        [None, None, None],
    ),
    "two families as near": (
        (port("a1"), port("b1", "B")),
        near("a1", "b1"),
        Use(),
        [None, None],
    ),
    "storage by its route": (
        (port("a1"), port("b1", "B", interface="ens9")),
        near("a1"),
        Use(storage=frozenset({"ens9"})),
        ["compute", "storage"],
    ),
    "one of nine alike carries the default route": (
        (port("a1"), port("a2"), port("a3", interface="ens9")),
        near("a1", "a2"),
        Use(management="ens9"),
        ["compute", "compute", "management"],
    ),
    "an accelerator has only the port of the default route": (
        (port("a1", interface="ens9"), port("a2")),
        near("a1", "a2"),
        Use(management="ens9"),
        ["compute", "compute"],
    ),
    "an accelerator has another one beside the port of the default route": (
        (port("a1", interface="ens9"), port("a2")),
        (Nearest(accelerator="nvidia:0", ports=("a1", "a2"), path="pix"),),
        Use(management="ens9"),
        ["management", "compute"],
    ),
    "a port beyond a host bridge is not beside": (
        (port("a1", interface="ens9"), port("a2")),
        near("a1", "a2", path="phb"),
        Use(management="ens9"),
        ["management", "compute"],
    ),
    "leading one family but not another": (
        (port("a1"), port("a2"), port("b1", "B", 100), port("c1", "C", 800)),
        (),
        Use(),
        [None, None, None, None],
    ),
    "the only port carries everything": (
        (port("a1", interface="ens9"),),
        (),
        Use(management="ens9", storage=frozenset({"ens9"})),
        ["compute"],
    ),
    "all ports are used for something else": (
        (port("a1", interface="ens8"), port("b1", "B", interface="ens9")),
        (),
        Use(management="ens9", storage=frozenset({"ens8"})),
        ["storage", "management"],
    ),
    "a host bridge between is not next to": (
        (port("a1"), port("b1", "B")),
        near("a1", path="phb"),
        Use(),
        [None, None],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_purposes(name: str) -> None:
    ports, nearest, use, expected = CASES[name]
    judged = judge_purposes(ports, nearest, use, accelerators=8)
    assert [one.purpose for one in judged] == expected
    assert [bool(one.purpose_reason) for one in judged] == [one is not None for one in expected]


def test_without_accelerators_nothing_trains() -> None:
    judged = judge_purposes(
        (port("a1"), port("b1", "B", interface="e")), (), Use(management="e"), accelerators=0
    )
    assert [one.purpose for one in judged] == [None, "management"]


@pytest.mark.parametrize(
    ("state", "physical", "expected"),
    [
        ("active", "linkup", True),
        ("active", "polling", False),
        ("initializing", "linkup", False),
        ("active", None, None),
        (None, "linkup", None),
    ],
)
def test_active_only_on_a_link(state: str | None, physical: str | None, expected: bool | None) -> None:
    assert is_active(FabricPort(device="a", port=1, state=state, physical_state=physical)) is expected


class Lost(msgspec.Struct, frozen=True):
    count: int
    last_uptime_s: float | None


def test_flaps_come_by_interface_or_device() -> None:
    ports = (port("mlx5_0", interface="ib0"), port("mlx5_1", interface="ib1"), port("mlx5_2"))
    flaps = {"ib0": Lost(3, 70.5), "mlx5_0": Lost(1, 90.0), "mlx5_2": Lost(2, None)}
    told = [(one.flaps, one.last_lost_uptime_s) for one in with_flaps(ports, flaps)]
    assert told == [(3, 90.0), (0, None), (2, None)]
    assert with_flaps(ports, None) == ports
