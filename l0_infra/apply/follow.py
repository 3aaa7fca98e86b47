"""From the tasks of a playbook to what became of its roles on each node; pure.

A role is done on a node when the next one begins there. A task that failed is the node's end only when nothing follows
it: Ansible goes on after one that is rescued.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from l0_infra.apply.board import Batch
from l0_infra.apply.events import PlaybookEvent, Stats, TaskBegun, TaskEnded
from l0_infra.apply.playbook import END
from l0_infra.schemas import Step

__all__ = ["Change", "Follower", "RoleBegun", "RoleDone", "RoleFailed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleBegun:
    """The first task of a role begins on a node."""

    step: Step


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleDone:
    """A role came to its end on a node; `last` says that the node is free again."""

    step: Step
    changed: int
    seconds: float
    last: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleFailed:
    """A role failed on a node, which gets no more of this batch; `gone` says that it gets no more at all."""

    step: Step
    task: str
    message: str
    seconds: float
    gone: bool


Change = RoleBegun | RoleDone | RoleFailed


@dataclass(slots=True)
class _Lane:
    steps: tuple[Step, ...]
    at: int = -1
    changed: int = 0
    began: float = 0.0
    trouble: TaskEnded | None = None
    over: bool = False


@dataclass(slots=True)
class Follower:
    """Follows one batch."""

    batch: Batch
    lanes: dict[str, _Lane] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lanes = {node: _Lane(steps=steps) for node, steps in self.batch.steps.items()}

    def open_nodes(self) -> tuple[str, ...]:
        """List the nodes that have not come to their end."""
        return tuple(node for node, lane in self.lanes.items() if not lane.over)

    def take(self, event: PlaybookEvent, now: float) -> Iterator[Change]:
        """Take what ansible told at a time, and yield what it means."""
        if isinstance(event, Stats):
            for node in event.failed:
                yield from self.end(node, "it failed, and Ansible did not say why", now)
            return
        lane = self.lanes.get(event.node)
        if lane is None or lane.over:
            return
        if isinstance(event, TaskBegun):
            yield from self._begun(lane, event, now)
        else:
            yield from self._ended(lane, event, now)

    def end(self, node: str, message: str, now: float) -> Iterator[Change]:
        """Take a node for failed; for the reason that its last task gave, else for `message`."""
        lane = self.lanes[node]
        if lane.over:
            return
        lane.over = True
        step = lane.steps[max(lane.at, 0)]
        trouble = lane.trouble
        yield RoleFailed(
            step=step,
            task=trouble.task if trouble else "",
            message=(trouble.message if trouble else "") or message,
            seconds=now - lane.began if lane.at >= 0 else 0.0,
            gone=trouble is None or trouble.state == "unreachable",
        )

    def _begun(self, lane: _Lane, event: TaskBegun, now: float) -> Iterator[Change]:
        lane.trouble = None
        if event.task == END:
            yield from self._pass_to(lane, len(lane.steps), now)
        elif event.role:
            yield from self._pass_to(lane, self._place_of(lane, event.role), now)

    def _ended(self, lane: _Lane, event: TaskEnded, now: float) -> Iterator[Change]:
        if event.state == "changed" and event.role:
            lane.changed += 1
        if event.state in ("failed", "unreachable"):
            lane.trouble = event
        if event.state == "unreachable":
            yield from self.end(event.node, "it cannot be reached", now)

    def _place_of(self, lane: _Lane, role: str) -> int:
        """Find a role among those of the lane; one that others depend on and include runs as part of them."""
        return self.batch.names.index(role) if role in self.batch.names else lane.at

    def _pass_to(self, lane: _Lane, place: int, now: float) -> Iterator[Change]:
        while lane.at < place:
            if lane.at >= 0:
                last = lane.at == len(lane.steps) - 1
                lane.over = last
                yield RoleDone(
                    step=lane.steps[lane.at], changed=lane.changed, seconds=now - lane.began, last=last
                )
            lane.at, lane.changed, lane.began = lane.at + 1, 0, now
            if lane.at < len(lane.steps):
                yield RoleBegun(step=lane.steps[lane.at])
