"""What is asked of the controller before anything is judged."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from l0_infra.core.exec import Answer, Command, Runner, ScriptedRunner
from l1_podsys.gates import NodeView, members_of, probe_scene
from l1_podsys.slurm import show_nodes_command
from tests.l1_podsys.gates.scenes import CLUSTER

Value = TypeVar("Value")
MEMBERS = members_of(CLUSTER)


class Controller:
    """Tells states of c1 and c2 in turn, the last for ever; every node gives an empty look."""

    def __init__(self, *states: str) -> None:
        self._states = list(states)
        self._runner = ScriptedRunner().answer(lambda _: True, Answer(stdout="@ end\n"))
        self._runner.answer(show_nodes_command(), self._tell)
        self.pauses: list[float] = []

    def _tell(self, _: Command) -> Answer:
        state = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        return Answer(stdout=f"NodeName=c1 State={state}\nNodeName=c2 State=IDLE\n")

    def reach(
        self,
        nodes: Sequence[str],
        work: Callable[[str, Runner], Value],
        *,
        limit_s: float,
        at_once: int = 64,
    ) -> Mapping[str, Value]:
        return {node: work(node, self._runner) for node in nodes}

    def state_of_c1(self, *, lost: str = "") -> str:
        views = [NodeView(member=one, lost=lost if one.name == "c1" else "") for one in MEMBERS]
        scene = probe_scene(CLUSTER, views, self.reach, seed=1, pause=self.pauses.append)
        return next(node.state for node in scene.slurm or () if node.name == "c1")


def test_a_controller_that_just_started_is_given_time_to_hear_of_its_nodes() -> None:
    controller = Controller("UNKNOWN+NOT_RESPONDING", "IDLE+NOT_RESPONDING", "IDLE")
    assert controller.state_of_c1() == "IDLE"
    assert len(controller.pauses) == 2


def test_a_node_that_it_never_hears_of_is_told_so_in_the_end() -> None:
    controller = Controller("IDLE+NOT_RESPONDING")
    assert controller.state_of_c1() == "IDLE+NOT_RESPONDING"
    assert 10 < sum(controller.pauses) < 60


def test_nothing_is_waited_for_when_the_state_is_known_or_the_node_answers_nobody() -> None:
    down, lost = Controller("DOWN+NOT_RESPONDING"), Controller("IDLE+NOT_RESPONDING")
    assert down.state_of_c1() == "DOWN+NOT_RESPONDING"
    assert lost.state_of_c1(lost="no answer") == "IDLE+NOT_RESPONDING"
    assert down.pauses == lost.pauses == []
