"""A real ansible-playbook carries out small roles on this machine: what is done, resumed, failed and given up."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from l0_infra.apply import Ended, Ledger, Progress, apply_plan, judge_left, things_of
from l0_infra.core.exec import LocalRunner
from l0_infra.roles import Look, look_command, parse_look
from l0_infra.schemas import WATCHING, Plan
from tests.support.playbooks import ROLES, local_site, plan_of, program

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not program(), reason="needs ansible-playbook (pip install 'ogai[cluster]')"),
]
NODES = ("n1", "n2", "n3")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.at(tmp_path / "ledger.db") as opened:
        yield opened


def look_at(plan: Plan) -> Mapping[str, Look]:
    things = things_of(plan, ROLES)
    with LocalRunner() as runner:
        outcome = runner.run(look_command([item for items in things.values() for item in items], sudo=False))
    look = parse_look(outcome.stdout)
    assert look is not None
    return {step.node: look for step in plan.steps}


def note(ledger: Ledger, plan: Plan) -> None:
    looks, things = look_at(plan), things_of(plan, ROLES)
    ledger.note_found({step.id: looks[step.node].of(things[step.id]) for step in plan.steps})


def ends(ended: tuple[Ended, ...]) -> dict[str, str]:
    return {one.step.id: one.state for one in ended}


def test_a_plan_is_done_once_and_then_there_is_nothing_left(tmp_path: Path, ledger: Ledger) -> None:
    plan = plan_of(tmp_path, NODES, settings={"n2": {"roof_text": "{{ straw }}"}})
    ended = apply_plan(plan, ledger, local_site(tmp_path, NODES), "r1")
    assert set(ends(ended).values()) == {"done"} and len(ended) == 9
    assert (tmp_path / "n2/roof").read_text() == "{{ straw }}"
    assert all(one.changed == 2 for one in ended if one.step.id.endswith("ground"))
    note(ledger, plan)
    assert judge_left(plan, ledger.entries(), look_at(plan), ROLES, things_of(plan, ROLES)).reasons == {}


def test_what_changed_or_drifted_is_left(tmp_path: Path, ledger: Ledger) -> None:
    plan = plan_of(tmp_path, NODES)
    apply_plan(plan, ledger, local_site(tmp_path, NODES), "r1")
    note(ledger, plan)
    (tmp_path / "n1/ground").write_text("sand")
    (tmp_path / "n3/roof").unlink()
    wish = plan_of(tmp_path, NODES, settings={"n2": {"frame_fails": True}})
    reasons = judge_left(wish, ledger.entries(), look_at(wish), ROLES, things_of(wish, ROLES)).reasons
    ground = f"file {tmp_path}/n1/ground"
    assert reasons == {
        "n1:ground": f"drifted: command cat {tmp_path}/n1/ground, {ground}",
        "n2:frame": "changed: frame_fails",
        "n3:roof": f"does not hold: file {tmp_path}/n3/roof is absent",
    }


def test_one_node_that_fails_stops_itself_and_a_head_what_waits_for_it(
    tmp_path: Path, ledger: Ledger
) -> None:
    plan = plan_of(tmp_path, NODES, settings={"n2": {"frame_fails": True}})
    ended = {one.step.id: one for one in apply_plan(plan, ledger, local_site(tmp_path, NODES), "r1")}
    failed = ended["n2:frame"]
    assert (failed.state, failed.task, failed.message) == ("failed", "frame : Hold", "the beam is rotten")
    assert "the beam is rotten" in Path(failed.log).read_text()
    assert ended["n2:roof"].message == "waits for frame on n2, which failed"
    assert {ended[f"{node}:roof"].state for node in ("n1", "n3")} == {"done"}
    left = judge_left(plan, ledger.entries(), look_at(plan), ROLES, things_of(plan, ROLES)).reasons
    assert left == {"n2:frame": "failed last time", "n2:roof": "never done"}


def test_a_node_that_hangs_is_given_up_and_the_others_go_on(tmp_path: Path, ledger: Ledger) -> None:
    plan = plan_of(tmp_path, NODES, settings={"n3": {"ground_pause_s": 300}})
    site = local_site(tmp_path, NODES, silence_s=6.0)
    ended = {one.step.id: one for one in apply_plan(plan, ledger, site, "r1")}
    assert ended["n3:ground"].message == "it hangs: nothing was heard of it for 6 s"
    assert {ended[f"{node}:roof"].state for node in ("n1", "n2")} == {"done"}


@pytest.mark.parametrize(("turn", "roof"), [(0, "held"), (WATCHING, "done")])
def test_what_only_watches_and_hangs_holds_nothing_else_of_its_node(
    turn: int, roof: str, tmp_path: Path, ledger: Ledger
) -> None:
    plan = plan_of(tmp_path, ("n1",), roles=("ground", "roof"), settings={"n1": {"ground_pause_s": 300}})
    ground = replace(ROLES["ground"], role=msgspec.structs.replace(ROLES["ground"].role, turn=turn))
    site = local_site(tmp_path, ("n1",), silence_s=6.0, roles={**ROLES, "ground": ground})
    ended = apply_plan(plan, ledger, site, "r1")
    assert ends(ended) == {"n1:ground": "failed", "n1:roof": roof}


def test_an_interrupted_role_has_its_handlers_run_by_the_next_run(tmp_path: Path, ledger: Ledger) -> None:
    plan = plan_of(tmp_path, ("n1",), roles=("ground",))
    (tmp_path / "n1/ground").write_text("earth")
    apply_plan(plan, ledger, local_site(tmp_path, ("n1",)), "r1", unfinished={"n1": ("ground",)})
    assert (tmp_path / "n1/starts").read_text() == "started\n"


def test_an_exception_ends_what_runs_and_keeps_what_is_done(tmp_path: Path, ledger: Ledger) -> None:
    plan = plan_of(tmp_path, ("n1", "n2"), settings={"n2": {"ground_pause_s": 300}})

    def stop(progress: Progress) -> None:
        if (progress.node, progress.name, progress.state) == ("n1", "roof", "done"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apply_plan(plan, ledger, local_site(tmp_path, ("n1", "n2")), "r1", on_progress=stop)
    states = {entry.id: entry.state for entry in ledger.entries().values()}
    assert states == {"n1:ground": "done", "n1:frame": "done", "n1:roof": "done", "n2:ground": "begun"}


def test_roles_that_ansible_cannot_read_fail_with_its_words(tmp_path: Path, ledger: Ledger) -> None:
    plan = plan_of(tmp_path, ("n1",), roles=("ground",), settings={"n1": {"ground_text": "x"}})
    site = local_site(tmp_path, ("n1",), roles=dict(ROLES))
    broken = tmp_path / "roles/ground/tasks/main.yml"
    broken.parent.mkdir(parents=True)
    broken.write_text("- name: Nothing\n  no_such_module: {}\n")
    site = replace(site, roles={"ground": replace(ROLES["ground"], folder=broken.parent.parent)})
    (ended,) = apply_plan(plan, ledger, site, "r1")
    assert ended.state == "failed" and "no_such_module" in ended.message
