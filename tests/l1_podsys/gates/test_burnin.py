"""What came while a node was worked hard is told, what was there before is not."""

import msgspec
import pytest

from l0_infra.schemas import (
    Accelerator,
    Condition,
    Counter,
    Ecc,
    FabricPort,
    KernelEvent,
    MemoryErrors,
    NodeFacts,
    OperatingSystem,
)
from l1_podsys.gates.burnin import judge_meanwhile, worst_of
from l1_podsys.gates.events import forget_events
from l1_podsys.schemas import Verdict


def event(count: int, *, severity: str = "fatal", last_at: float = 50.0) -> KernelEvent:
    return KernelEvent(
        name="xid-79",
        severity=severity,  # type: ignore[arg-type]
        device="0000:05:00.0",
        count=count,
        last_at=last_at,
        text="x",
        meaning="it fell off the bus",
        action="reboot node",
    )


def gpu(**changes: object) -> Accelerator:
    base = Accelerator(
        id="nvidia:0",
        vendor="nvidia",
        index=0,
        condition=Condition(temperature_c=60.0, temperature_margin_c=25.0),
        ecc=Ecc(corrected_volatile=2, uncorrected_volatile=1),
    )
    return msgspec.structs.replace(base, **changes)


def port(**changes: object) -> FabricPort:
    base = FabricPort(
        device="mlx5_0", port=1, state="active", counters=(Counter(name="link_downed", value=2),)
    )
    return msgspec.structs.replace(base, **changes)


BEFORE = NodeFacts(
    probed_at=1.0,
    boot_id="b1",
    accelerators=(gpu(),),
    fabric=(port(),),
    kernel_events=(event(1),),
    memory_errors=MemoryErrors(corrected=5, uncorrected=0),
)

CHANGES: list[tuple[str, dict[str, object], dict[str, str]]] = [
    ("nothing", {}, {}),
    ("restart", {"boot_id": "b2"}, {"burnin.boot": "critical"}),
    ("event again", {"kernel_events": (event(2),)}, {"burnin.events": "critical"}),
    ("notice", {"kernel_events": (event(1), event(9, severity="notice"))}, {}),
    ("log not read", {"kernel_events": None}, {"burnin.events": "unknown"}),
    (
        "a container has no log",
        {"kernel_events": None, "os": OperatingSystem(container="systemd-nspawn")},
        {},
    ),
    ("module", {"memory_errors": MemoryErrors(corrected=6, uncorrected=0)}, {"burnin.memory": "warning"}),
    (
        "module, fatal",
        {"memory_errors": MemoryErrors(corrected=5, uncorrected=1)},
        {"burnin.memory": "critical"},
    ),
    ("lost", {"accelerators": ()}, {"burnin.accelerators": "critical", "burnin.heat": "unknown"}),
    (
        "ecc",
        {"accelerators": (gpu(ecc=Ecc(corrected_volatile=2, uncorrected_volatile=2)),)},
        {"burnin.ecc": "critical"},
    ),
    (
        "ecc, corrected",
        {"accelerators": (gpu(ecc=Ecc(corrected_volatile=9, uncorrected_volatile=1)),)},
        {"burnin.ecc": "warning"},
    ),
    (
        "hot",
        {"accelerators": (gpu(condition=Condition(temperature_c=84.0, temperature_margin_c=1.0)),)},
        {"burnin.heat": "warning"},
    ),
    (
        "link",
        {"fabric": (port(counters=(Counter(name="link_downed", value=3),)),)},
        {"burnin.links": "critical"},
    ),
    ("link down", {"fabric": (port(state="down"),)}, {"burnin.links": "critical"}),
]


@pytest.mark.parametrize(("change", "bad"), [pytest.param(*one[1:], id=one[0]) for one in CHANGES])
def test_what_came_meanwhile_is_told(change: dict[str, object], bad: dict[str, str]) -> None:
    verdicts = judge_meanwhile("n1", BEFORE, msgspec.structs.replace(BEFORE, **change))
    assert {one.check: one.severity for one in verdicts if one.severity != "ok"} == bad


def test_the_worst_of_all_rounds_counts() -> None:
    def made(severity: str, found: str) -> Verdict:
        return Verdict(node="n1", check="cpu.speed", severity=severity, found=found, expected="e")  # type: ignore[arg-type]

    rounds = [[made("ok", "1")], [made("warning", "2")], [made("critical", "3")], [made("critical", "4")]]
    assert [one.found for one in worst_of(rounds)] == ["3"]


def test_events_before_a_node_was_given_back_are_settled() -> None:
    facts = msgspec.structs.replace(BEFORE, kernel_events=(event(1, last_at=50.0), event(1, last_at=90.0)))
    left = forget_events(facts, before=60.0).kernel_events
    assert left is not None and [one.last_at for one in left] == [90.0]
    assert forget_events(facts, before=None) == facts
    assert forget_events(facts, before=10.0, booted_at=95.0).kernel_events == ()
