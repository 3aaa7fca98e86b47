"""What can begin when: laws of the board for any plan, and the batches that a person would expect."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from l0_infra.apply.board import Board, ready_batches
from l0_infra.schemas import ApplyRole, RunCommand, Step

HEAD = "n0"


def step(node: str, name: str, *after: str, command: bool = False) -> Step:
    action = RunCommand(argv=("true",)) if command else ApplyRole(role=name)
    return Step(id=f"{node}:{name}", node=node, reason="r", action=action, key=f"{node}:{name}", after=after)


def batches(board: Board) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(batch.names, tuple(batch.steps)) for batch in ready_batches(board)]


def a_cluster(nodes: int) -> list[Step]:
    names = [f"n{index}" for index in range(nodes)]
    return [
        one
        for node in names
        for one in (
            step(node, "python", command=True),
            step(node, "base", f"{node}:python"),
            step(node, "time", f"{node}:base", *([f"{HEAD}:time"] if node != HEAD else [])),
            step(node, "users", f"{node}:base"),
        )
    ]


def test_like_nodes_share_a_batch_and_other_kinds_of_steps_go_alone() -> None:
    board = Board(a_cluster(4))
    assert batches(board) == [(("python",), ("n0", "n1", "n2", "n3"))]


def test_a_run_goes_as_far_as_no_other_node_is_waited_for_and_passes_over_what_waits() -> None:
    board = Board(a_cluster(3), done=[f"n{index}:python" for index in range(3)])
    assert batches(board) == [(("base", "time", "users"), ("n0",)), (("base", "users"), ("n1", "n2"))]


def test_a_node_at_work_gets_nothing_until_it_is_free() -> None:
    board = Board(a_cluster(2), done=["n0:python", "n1:python"])
    for batch in ready_batches(board):
        board.take(batch)
    board.done(step(HEAD, "time"))
    assert batches(board) == []
    board.done(step("n1", "base"))
    board.free("n1")
    assert batches(board) == [(("time", "users"), ("n1",))]


def test_a_failure_holds_what_waits_for_it_anywhere_and_nothing_else() -> None:
    steps = {one.id: one for one in a_cluster(3)}
    board = Board(steps.values(), done=["n0:python", "n0:base", "n1:python", "n2:python"])
    held = board.fail(steps["n0:time"])
    assert {one.id for one in held} == {"n1:time", "n2:time"}
    assert batches(board) == [(("users",), ("n0",)), (("base", "users"), ("n1", "n2"))]


def test_a_node_that_is_gone_holds_all_its_steps_and_what_waits_for_them() -> None:
    steps = {one.id: one for one in a_cluster(3)}
    board = Board(steps.values(), done=[f"n{index}:python" for index in range(3)])
    held = board.fail(steps["n0:base"], gone=True)
    assert {one.id for one in held} == {"n0:time", "n0:users", "n1:time", "n2:time"}
    assert batches(board) == [(("base", "users"), ("n1", "n2"))]


@st.composite
def plans(draw: st.DrawFn) -> list[Step]:
    """Draw a plan whose steps wait for earlier ones, of their own node or any."""
    nodes = [f"n{index}" for index in range(draw(st.integers(1, 4)))]
    steps: list[Step] = []
    for number in range(draw(st.integers(1, 14))):
        after = draw(st.lists(st.sampled_from([one.id for one in steps]), max_size=3)) if steps else []
        steps.append(step(draw(st.sampled_from(nodes)), f"s{number}", *after, command=draw(st.booleans())))
    order = draw(st.permutations(steps))
    return list(order)


@given(plans(), st.sets(st.integers(0, 13), max_size=3), st.booleans())
def test_every_step_ends_once_in_order_and_only_what_must_is_held(
    steps: list[Step], bad: set[int], gone: bool
) -> None:
    failing = {one.id for one in steps if int(one.id.partition(":s")[2]) in bad}
    board, ended = Board(steps), list[str]()
    held: dict[str, Step] = {}
    while ready := ready_batches(board):
        for batch in ready:
            board.take(batch)
        for batch in ready:
            for node, run in batch.steps.items():
                for one in run:
                    assert all(board.ends.get(other) == "done" for other in one.after)
                    ended.append(one.id)
                    if one.id in failing:
                        held |= {other.id: one for other in board.fail(one, gone=gone)}
                        break
                    board.done(one)
                board.free(node)
    assert board.finished()
    assert len(ended) == len(set(ended)) and {*ended} | {*held} == {one.id for one in steps}
    assert not {*ended} & {*held}
    by_id = {one.id: one for one in steps}
    assert all(_has_cause(by_id[one], held, failing, by_id, gone) for one in held)


def _has_cause(
    one: Step, held: Mapping[str, Step], failing: set[str], steps: Mapping[str, Step], gone: bool
) -> bool:
    """Whether a held step waits for one that failed or is held itself, or its node is gone."""
    own = gone and any(steps[other].node == one.node for other in failing)
    return own or any(other in failing or other in held for other in one.after)
