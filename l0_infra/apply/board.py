"""The steps of a plan while they are carried out: which wait, run, are over; and what can begin now. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from l0_infra.schemas import ApplyRole, Step

__all__ = ["Batch", "Board", "StepEnd", "ready_batches"]

StepEnd = Literal["done", "failed", "held"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Nodes that get the same steps next; `names` are those of the steps, in their order, the same on each node."""

    names: tuple[str, ...]
    steps: Mapping[str, tuple[Step, ...]]

    @property
    def is_roles(self) -> bool:
        """Whether these are roles, which one ansible-playbook carries out; else it is one step of another kind."""
        return all(isinstance(step.action, ApplyRole) for steps in self.steps.values() for step in steps)


class Board:
    """Knows of each step whether it waits or how it ended, and of each node whether it is at work."""

    def __init__(self, steps: Iterable[Step], *, done: Collection[str] = ()) -> None:
        self.ends: dict[str, StepEnd] = dict.fromkeys(done, "done")
        self.waiting: dict[str, list[Step]] = {}
        self.of_node: dict[str, list[Step]] = {}
        self.dependents: dict[str, list[Step]] = {}
        self.busy: set[str] = set()
        for step in steps:
            if step.id not in self.ends:
                self.waiting.setdefault(step.node, []).append(step)
                self.of_node.setdefault(step.node, []).append(step)
                for other in step.after:
                    self.dependents.setdefault(other, []).append(step)

    def finished(self) -> bool:
        """Whether nothing waits and nothing runs."""
        return not self.waiting and not self.busy

    def take(self, batch: Batch) -> None:
        """Note that a batch begins."""
        for node, steps in batch.steps.items():
            taken = {step.id for step in steps}
            self._keep(node, [step for step in self.waiting[node] if step.id not in taken])
            self.busy.add(node)

    def done(self, step: Step) -> None:
        """Note that a step is done."""
        self.ends[step.id] = "done"

    def free(self, node: str) -> None:
        """Note that a node has come to the end of its batch; what it did not get of it waits again."""
        self.busy.discard(node)
        self._keep(node, [step for step in self.of_node[node] if step.id not in self.ends])

    def fail(self, failed: Step, *, gone: bool = False) -> tuple[Step, ...]:
        """Note that a step failed; return all that it holds: what waits for it, and the rest of a node that is gone."""
        self.ends[failed.id] = "failed"
        self._drop(failed)
        held: list[Step] = []
        causes = [failed, *(self._hold(self.of_node.get(failed.node, ()), held) if gone else ())]
        while causes:
            causes.extend(self._hold(self.dependents.get(causes.pop().id, ()), held))
        return tuple(held)

    def _hold(self, steps: Iterable[Step], held: list[Step]) -> list[Step]:
        stopped = [step for step in steps if step.id not in self.ends]
        for step in stopped:
            self.ends[step.id] = "held"
            self._drop(step)
        held.extend(stopped)
        return stopped

    def _drop(self, step: Step) -> None:
        self._keep(step.node, [one for one in self.waiting.get(step.node, ()) if one.id != step.id])

    def _keep(self, node: str, steps: list[Step]) -> None:
        if steps:
            self.waiting[node] = steps
        else:
            self.waiting.pop(node, None)


def ready_batches(board: Board) -> tuple[Batch, ...]:
    """Gather the free nodes by what they get next, as much of it as can be done without waiting for another node."""
    gathered: dict[tuple[str, ...], dict[str, tuple[Step, ...]]] = {}
    for node, steps in board.waiting.items():
        if node not in board.busy and (run := _next_run(steps, board.ends)):
            gathered.setdefault(tuple(map(_name, run)), {})[node] = run
    return tuple(Batch(names=names, steps=steps) for names, steps in gathered.items())


def _next_run(steps: list[Step], ends: Mapping[str, StepEnd]) -> tuple[Step, ...]:
    """Take what can be done now: roles one after the other, or one step of another kind."""
    run: list[Step] = []
    taken: set[str] = set()
    left = steps
    while True:
        passed = []
        for step in left:
            ready = all(other in taken or ends.get(other) == "done" for other in step.after)
            alone = not isinstance(step.action, ApplyRole)
            if not ready or (alone and run):
                passed.append(step)
                continue
            run.append(step)
            taken.add(step.id)
            if alone:
                return tuple(run)
        if len(passed) == len(left) or not passed:
            return tuple(run)
        left = passed


def _name(step: Step) -> str:
    return step.action.role if isinstance(step.action, ApplyRole) else step.id.partition(":")[2]
