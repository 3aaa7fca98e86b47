"""What ansible-playbook told, recorded line by line, becomes what happened to each role on each node."""

from pathlib import Path

import pytest

from l0_infra.apply.board import Batch
from l0_infra.apply.events import parse_event
from l0_infra.apply.follow import Change, Follower, RoleBegun, RoleDone
from l0_infra.schemas import ApplyRole, Step

CASES = Path(__file__).parents[2] / "cases/apply/events"


def a_batch() -> Batch:
    return Batch(
        names=("base", "time"),
        steps={
            node: tuple(
                Step(
                    id=f"{node}:{role}",
                    node=node,
                    reason="r",
                    action=ApplyRole(role=role),
                    key=f"{node}{role}",
                )
                for role in ("base", "time")
            )
            for node in ("n1", "n2")
        },
    )


def told(change: Change) -> str:
    if isinstance(change, RoleBegun):
        return f"begun {change.step.id}"
    if isinstance(change, RoleDone):
        return f"done {change.step.id} changed={change.changed}{' last' if change.last else ''}"
    return f"failed {change.step.id}{f' at `{change.task}`' if change.task else ''}: {change.message}"


@pytest.mark.parametrize("case", sorted(path.stem for path in CASES.glob("*.jsonl")))
def test_recorded_events(case: str) -> None:
    follower, lines = Follower(a_batch()), list[str]()
    for text in (CASES / f"{case}.jsonl").read_text().splitlines():
        event = parse_event(f"\x1e{text}")
        if event is not None:
            lines += map(told, follower.take(event, 0.0))
    for node in follower.open_nodes():
        lines += map(told, follower.end(node, "ansible-playbook ended", 0.0))
    assert lines == (CASES / f"{case}.expected").read_text().splitlines()


def test_what_others_print_is_no_event() -> None:
    assert parse_event('{"type": "stats", "failed": []}') is None
    assert parse_event("\x1e{}") is None
    assert parse_event("[WARNING]: provided hosts list is empty") is None
