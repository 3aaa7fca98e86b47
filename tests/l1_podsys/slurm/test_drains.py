"""Drains have an owner: what is written is read back, another's drain is left alone, and no one else lifts it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.errors import EngineError, UnsatisfiableError, UsageError
from l0_infra.core.exec import Answer, Command, ScriptedRunner
from l1_podsys.slurm import Drain, SlurmDrainer, parse_drain, plain_reason, render_drain, show_nodes_command

OWNERS = st.from_regex(r"\A[A-Za-z0-9_][A-Za-z0-9._@-]{0,20}\Z")


@given(
    owner=OWNERS,
    reason=st.text(min_size=1).filter(
        lambda text: any(sign.isprintable() and not sign.isspace() for sign in text)
    ),
)
def test_what_is_written_is_read_back_on_one_line(owner: str, reason: str) -> None:
    text = render_drain(Drain(owner=owner, reason=reason, by="kim", at="2026-12-01T02:00:00Z"))
    assert len(text.splitlines()) == 1 and text.isprintable() and not set(text) & set("[]\"'")
    found = parse_drain(text, "root")
    assert (found.owner, found.by, found.at, found.ours) == (owner, "kim", "2026-12-01T02:00:00Z", True)
    assert render_drain(found) == text


@pytest.mark.parametrize("reason", ["gpu lost", "ogai: nothing", "ogai:kim no end", ""])
def test_a_drain_by_hand_belongs_to_who_set_it(reason: str) -> None:
    assert parse_drain(reason, "ada") == Drain(owner="ada", reason=reason, ours=False)


@pytest.mark.parametrize(("owner", "reason"), [("a b", "x"), ("", "x"), ("kim", "  "), ("kim", "\n\0")])
def test_an_owner_or_a_reason_that_is_none_is_refused(owner: str, reason: str) -> None:
    with pytest.raises(UsageError):
        render_drain(Drain(owner=owner, reason=reason, by="kim", at="2026-12-01T02:00:00Z"))


def test_a_reason_of_several_lines_becomes_one() -> None:
    assert plain_reason('fan 3\nis "loud"\x1b[31m\t[see 7]') == "fan 3 is `loud` (31m (see 7)"


def line(name: str, state: str = "IDLE", reason: str = "", allocated: int = 0) -> str:
    tail = f" Reason={reason} [root@2026-12-01T02:00:01]" if reason else ""
    return f"NodeName={name} CPUAlloc={allocated} CPUTot=8 RealMemory=9 State={state}{tail}\n"


OURS = "ogai:gate disk.full: / 99 % (kim, 2026-12-01T02:00:00Z)"
KIMS = "ogai:kim fan (kim, 2026-12-01T02:00:00Z)"
NODES = [
    line("a1"),
    line("a2", "IDLE+DRAIN", OURS),
    line("a3", "IDLE+DRAIN", KIMS),
    line("a4", "IDLE+DRAIN", "by hand"),
]


def controller(nodes: Sequence[str] = NODES) -> ScriptedRunner:
    runner = ScriptedRunner("head")
    runner.answer(("scontrol", "--oneliner", "show", "nodes", "a[1-4]"), Answer(stdout="".join(nodes)))
    for index, text in enumerate(nodes, 1):
        runner.answer(show_nodes_command([f"a{index}"]), Answer(stdout=text))
    return runner


def updates(runner: ScriptedRunner) -> list[tuple[str, ...]]:
    return [call.argv[2:] for call in runner.calls if call.argv[1] == "update"]


def drainer(runner: ScriptedRunner) -> SlurmDrainer:
    return SlurmDrainer(controller=runner, account="kim", sudo=True, clock=lambda: 1_796_090_400.0)


ALL = ("a1", "a2", "a3", "a4")


def test_only_nodes_that_nobody_else_drained_are_drained() -> None:
    runner = controller()
    want = (
        "NodeName=a[1-2]",
        "State=DRAIN",
        "Reason=ogai:gate node.rules: hot (kim, 2026-12-01T02:00:00Z)",
    )
    runner.answer(("scontrol", "update", *want), Answer())
    assert drainer(runner).drain(ALL, owner="gate", reason="node.rules: hot") == ("a1", "a2")
    assert updates(runner) == [want] and runner.calls[-1].sudo


def test_a_person_takes_over_what_the_checks_drained() -> None:
    runner = controller()
    runner.answer(lambda command: command.argv[1] == "update", Answer())
    assert drainer(runner).drain(ALL, owner="ada", reason="move", over=("gate",)) == ("a1", "a2")


def test_only_the_owner_gives_back_and_a_refusal_says_whose_it_is() -> None:
    runner = controller()
    runner.answer(("scontrol", "update", "NodeName=a3", "State=UNDRAIN"), Answer())
    assert drainer(runner).undrain(("a3",), owner="kim") == ("a3",)
    with pytest.raises(UnsatisfiableError, match="a2 drained by gate"):
        drainer(runner).undrain(ALL, owner="kim")
    with pytest.raises(UnsatisfiableError) as refused:
        drainer(runner).undrain(("a4",), owner="kim")
    assert "State=RESUME" in refused.value.hint
    assert len(updates(runner)) == 1


def test_what_is_not_drained_needs_no_giving_back() -> None:
    runner = controller()
    assert drainer(runner).undrain(("a1",), owner="kim") == ()
    assert updates(runner) == []


def test_waiting_ends_when_nothing_runs_and_tells_what_still_does_at_the_deadline() -> None:
    now = [0.0]
    texts = [line("a1", "MIXED+DRAIN", KIMS, 3), line("a1", "IDLE+DRAIN", KIMS)]
    runner = ScriptedRunner("head")
    runner.answer(show_nodes_command(["a1"]), lambda _: Answer(stdout=texts[0]))
    waits = SlurmDrainer(
        controller=runner,
        account="kim",
        clock=lambda: now[0],
        sleep=lambda seconds: now.__setitem__(0, now[0] + seconds),
    )
    assert waits.wait_idle(("a1",), deadline_s=10) == ("a1",)
    assert now[0] >= 10
    texts.pop(0)
    assert waits.wait_idle(("a1",), deadline_s=10) == ()


@pytest.mark.parametrize(("silent_for", "asked"), [(0, 1), (2, 3), (99, 6)])
def test_a_node_just_given_back_is_waited_for_until_it_was_heard_of(silent_for: int, asked: int) -> None:
    runner, waits = ScriptedRunner("head"), list[float]()

    def tell(_: Command) -> Answer:
        state = "IDLE+NOT_RESPONDING" if len(waits) < silent_for else "IDLE"
        return Answer(stdout=line("a1", state) + line("a2", "IDLE+NOT_RESPONDING"))

    runner.answer(show_nodes_command(), tell)
    patient = SlurmDrainer(controller=runner, account="kim", sleep=waits.append)
    (given_back, other) = patient.settled_nodes(("a1",))
    assert given_back.down == (silent_for == 99) and other.down
    assert len(runner.calls) == asked


def test_a_controller_that_does_not_answer_is_told() -> None:
    runner = ScriptedRunner("head")
    runner.answer(
        show_nodes_command(), Answer(stderr="slurm_load_node error: Unable to contact", exit_code=1)
    )
    with pytest.raises(EngineError, match="Unable to contact"):
        drainer(runner).nodes()


@pytest.mark.parametrize("names", [("a8",), ("a8", "a9")])
def test_a_node_that_never_registered_is_left_out_and_is_no_failure(names: tuple[str, ...]) -> None:
    runner = ScriptedRunner("head")
    said = "".join(f"Node {name} not found\n" for name in names)
    runner.answer(show_nodes_command(names), Answer(stdout=said, exit_code=1))
    assert drainer(runner).drain(names, owner="removal", reason="it leaves the cluster") == ()
    assert updates(runner) == []
