import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.schemas import ApplyRole, Plan, Reboot, RunCommand, Step, WaitFor, WriteFile


def plan(**after: tuple[str, ...]) -> Plan:
    steps = tuple(
        Step(id=name, node="n4", reason="test", key=name, action=Reboot(), after=others)
        for name, others in after.items()
    )
    return Plan(title="test", steps=steps)


def test_a_good_plan_has_no_faults() -> None:
    assert not [*plan(driver=(), reboot=("driver",), check=("reboot", "driver")).faults()]


def test_an_unknown_step_is_named_with_the_nearest() -> None:
    (fault,) = plan(driver=(), reboot=("drivers",)).faults()
    assert fault.path == ("steps", 1, "after", 0)
    assert "`driver`" in fault.hint


def test_ids_and_keys_are_unique() -> None:
    step = Step(id="a", node="n4", reason="test", key="k", action=Reboot())
    faults = [*Plan(title="test", steps=(step, step)).faults()]
    assert [fault.path for fault in faults] == [("steps", 1, "id"), ("steps", 1, "key")]


def test_every_circle_is_reported() -> None:
    faults = [*plan(a=("b",), b=("a",), c=("d",), d=("e",), e=("c",), f=("f",), g=("a",)).faults()]
    assert sorted("".join(sorted(set(fault.found) & set("abcdefg"))) for fault in faults) == [
        "ab",
        "cde",
        "f",
    ]


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef")).map(tuple)))
def test_a_plan_without_faults_can_be_carried_out_in_some_order(after: dict[str, tuple[str, ...]]) -> None:
    done: set[str] = set()
    for _ in after:
        done |= {step for step, others in after.items() if set(others) <= done}
    assert (done == set(after)) == (not [*plan(**after).faults()])


@pytest.mark.parametrize(
    "action",
    [
        RunCommand(argv=("sysctl", "--system")),
        WriteFile(path="/etc/sysctl.d/90-net.conf", content="net.core.somaxconn = 4096\n"),
        ApplyRole(role="nvidia_driver", variables={"version": "535.10"}),
        Reboot(),
        WaitFor(argv=("systemctl", "is-system-running")),
    ],
)
def test_each_action_survives_writing_and_reading(
    action: RunCommand | WriteFile | ApplyRole | Reboot | WaitFor,
) -> None:
    written = Plan(title="t", steps=(Step(id="a", node="n4", reason="r", key="k", action=action),))
    assert msgspec.json.decode(msgspec.json.encode(written), type=Plan) == written
