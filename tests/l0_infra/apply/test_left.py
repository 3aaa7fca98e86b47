"""Which steps of a plan are left, by what the ledger says and what a look finds."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from l0_infra.apply import Entry, judge_left, things_of
from l0_infra.apply.keys import parts_of
from l0_infra.core.errors import EngineError
from l0_infra.roles import UNTOLD, Item, Look, fingerprint
from l0_infra.schemas import ApplyRole, Plan
from tests.support.playbooks import ROLES, plan_of

GOOD = {"file": "644 root root 00ff", "command": "earth"}


def a_plan(tmp_path: Path) -> Plan:
    return plan_of(tmp_path, ("n1",), roles=("ground",))


def found(plan: Plan, **other: str) -> Look:
    (things,) = things_of(plan, ROLES).values()
    return Look(found={item: {**GOOD, **other}[item.kind] for item in things})


def kept(plan: Plan, **other: object) -> Mapping[str, Entry]:
    (step,) = plan.steps
    (things,) = things_of(plan, ROLES).values()
    items = found(plan).of(things)
    entry = Entry(
        id=step.id,
        node=step.node,
        name="ground",
        key=step.key,
        parts=parts_of(step, ROLES["ground"].sha256),
        state="done",
        found=msgspec.json.encode(items).decode(),
        mark=fingerprint(items),
    )
    return {step.id: msgspec.structs.replace(entry, **other)}


def reason(plan: Plan, entries: Mapping[str, Entry], look: Look, *, full: bool = False) -> str:
    return judge_left(plan, entries, {"n1": look}, ROLES, things_of(plan, ROLES), full=full).reasons.get(
        "n1:ground", ""
    )


def test_what_was_done_and_holds_is_not_left(tmp_path: Path) -> None:
    plan = a_plan(tmp_path)
    assert reason(plan, kept(plan), found(plan)) == ""
    assert reason(plan, kept(plan), found(plan), full=True) == "asked for by --full"


def test_each_reason_to_do_it_again(tmp_path: Path) -> None:
    plan = a_plan(tmp_path)
    assert reason(plan, {}, found(plan)) == "never done"
    assert reason(plan, kept(plan, state="begun"), found(plan)) == "was ended midway"
    assert reason(plan, kept(plan, state="failed"), found(plan)) == "failed last time"
    assert reason(plan, kept(plan), found(plan, command="sand")).startswith("drifted: command cat ")
    assert reason(plan, kept(plan), found(plan, file="absent")).startswith("does not hold: file ")


def test_a_change_is_named(tmp_path: Path) -> None:
    plan = a_plan(tmp_path)
    wider = plan_of(tmp_path, ("n1",), roles=("ground",), settings={"n1": {"ground_text": "clay"}})
    assert reason(wider, kept(plan), found(plan)) == "changed: ground_text"
    newer = {**ROLES, "ground": replace(ROLES["ground"], sha256="another")}
    (step,) = plan.steps
    moved = Plan(title="t", steps=(msgspec.structs.replace(step, key="another"),))
    left = judge_left(moved, kept(plan), {"n1": found(plan)}, newer, things_of(moved, newer))
    assert left.reasons == {step.id: "changed: the role"}


def test_what_was_done_before_anybody_looked_is_taken_as_found(tmp_path: Path) -> None:
    plan = a_plan(tmp_path)
    unseen = kept(plan, found=None, mark=None)
    left = judge_left(plan, unseen, {"n1": found(plan)}, ROLES, things_of(plan, ROLES))
    (things,) = things_of(plan, ROLES).values()
    assert left.reasons == {} and left.adopted == {"n1:ground": found(plan).of(things)}
    assert reason(plan, unseen, found(plan, file="absent")).startswith("does not hold")


def test_a_role_nobody_knows_is_refused(tmp_path: Path) -> None:
    (step,) = a_plan(tmp_path).steps
    strange = msgspec.structs.replace(step, action=ApplyRole(role="cellar"))
    with pytest.raises(EngineError, match="no folder of it"):
        things_of(Plan(title="t", steps=(strange,)), ROLES)


def test_a_variable_decides_what_is_looked_at(tmp_path: Path) -> None:
    (things,) = things_of(a_plan(tmp_path), ROLES).values()
    assert things == (Item("file", f"{tmp_path}/n1/ground"), Item("command", f"cat {tmp_path}/n1/ground"))


def test_what_cannot_be_told_now_is_no_drift(tmp_path: Path) -> None:
    plan = a_plan(tmp_path)
    assert reason(plan, kept(plan), found(plan, command=UNTOLD)) == ""
    moved = found(plan, command=UNTOLD, file="600 root root 00ff")
    assert reason(plan, kept(plan), moved).startswith("drifted: file")
    items = found(plan, command=UNTOLD).of(next(iter(things_of(plan, ROLES).values())))
    never_told = kept(plan, found=msgspec.json.encode(items).decode(), mark=fingerprint(items))
    assert reason(plan, never_told, found(plan)) == ""
