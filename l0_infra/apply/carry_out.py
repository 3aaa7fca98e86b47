"""Carry out a plan on many nodes at once: each goes on by itself, and every step that ends is in the ledger at once."""

import time
from collections.abc import Iterable, Mapping, Sequence

from l0_infra.apply.board import Board, ready_batches
from l0_infra.apply.crew import Crew, Heard, Running
from l0_infra.apply.events import TaskBegun
from l0_infra.apply.follow import Change, RoleBegun, RoleDone, RoleFailed
from l0_infra.apply.keys import parts_of
from l0_infra.apply.ledger import Entry, Ledger, StepState
from l0_infra.apply.progress import Ended, OnProgress, Progress, name_of
from l0_infra.apply.site import Site
from l0_infra.schemas import WATCHING, ApplyRole, Plan, Reboot, Step, WriteFile

__all__ = ["apply_plan"]

SETTLE_S = 1.5
"""How long nodes that are ready wait for others, so that one ansible-playbook serves many."""

LEAVE_S = 20.0
"""How long playbooks that are told to end are waited for."""


def apply_plan(
    plan: Plan,
    ledger: Ledger,
    site: Site,
    run: str,
    *,
    done: Iterable[str] = (),
    unfinished: Mapping[str, Sequence[str]] | None = None,
    lost: Mapping[str, str] | None = None,
    on_progress: OnProgress = lambda progress: None,
) -> tuple[Ended, ...]:
    """Carry out the steps of a plan, except those `done` already, and return how each ended, in the order of the plan.

    `unfinished` names by node the roles that were ended midway before, `lost` says of nodes why they cannot be reached.
    A step that fails holds what waits for it; a node that is gone, or of which nothing is heard, holds all its own
    steps, too. On any exception (Ctrl-C too) all that runs is told to end before it leaves; the ledger then holds what
    was done.
    """
    work = _Apply(plan, ledger, site, run, done, unfinished or {}, on_progress)
    try:
        work.lose(lost or {})
        work.to_its_end()
    except BaseException:
        work.stop()
        raise
    return tuple(work.ended[step.id] for step in plan.steps if step.id in work.ended)


class _Apply:
    def __init__(
        self,
        plan: Plan,
        ledger: Ledger,
        site: Site,
        run: str,
        done: Iterable[str],
        unfinished: Mapping[str, Sequence[str]],
        tell: OnProgress,
    ) -> None:
        self.ledger, self.site, self.run_id, self.tell = ledger, site, run, tell
        self.board = Board(plan.steps, done=frozenset(done))
        self.crew = Crew(site, unfinished)
        self.ended: dict[str, Ended] = {}
        self.ready_since: dict[tuple[str, ...], float] = {}
        self.changed = True
        self.stopping = False

    def lose(self, lost: Mapping[str, str]) -> None:
        """Take nodes that cannot be reached for failed at their first step, which stays in the ledger as it was."""
        for node, message in lost.items():
            for first in self.board.of_node.get(node, ())[:1]:
                self.note_failure(first, "", message, "", 0.0, gone=True)

    def to_its_end(self) -> None:
        while not self.board.finished() or self.crew.running:
            self.start_ready()
            for heard in self.crew.listen():
                self.take(heard)
            self.give_up_silent()

    def stop(self) -> None:
        """End all that runs; what is done on the way is kept, and what is ended so has not failed."""
        self.stopping = True
        self.tell = lambda progress: None
        self.crew.end_all(self.take, LEAVE_S)

    def start_ready(self) -> None:
        """Begin what can begin; nodes that became ready wait a moment for others, unless nothing runs."""
        if not self.changed and not self.ready_since:
            return
        now, ready = time.monotonic(), ready_batches(self.board)
        self.ready_since = {batch.names: self.ready_since.get(batch.names, now) for batch in ready}
        self.changed = False
        at_rest = not self.crew.running
        for batch in ready:
            if self.crew.has_room() and (at_rest or now - self.ready_since[batch.names] >= SETTLE_S):
                del self.ready_since[batch.names]
                self.board.take(batch)
                self.crew.start(batch)

    def take(self, heard: Heard) -> None:
        running = self.crew.running.get(heard.batch)
        if running is None:
            return
        now = time.monotonic()
        if heard.event is not None:
            running.note(heard.event, now)
            self.take_changes(running.follower.take(heard.event, now), running)
            if isinstance(heard.event, TaskBegun) and heard.event.role:
                event = heard.event
                self.tell(Progress(node=event.node, name=event.role, state="task", task=event.task))
        elif heard.step is not None:
            self.take_step(heard.step, heard.message)
        if heard.over:
            self.take_end(running, heard.message, now)
            del self.crew.running[heard.batch]
            self.changed = True

    def take_changes(self, changes: Iterable[Change], running: Running) -> None:
        for change in changes:
            match change:
                case RoleBegun(step=step):
                    self.ledger.save(self.entry(step, "begun"))
                    self.tell(Progress(node=step.node, name=name_of(step), state="begun"))
                case RoleDone(step=step, changed=changed, seconds=seconds, last=last):
                    self.finish(step, changed, seconds)
                    if last:
                        self.leave(step.node)
                case RoleFailed() as failed if not self.stopping:
                    told = (failed.task, failed.message, running.log, failed.seconds)
                    self.fail(failed.step, *told, gone=failed.gone and not self.only_watches(failed.step))
                    self.leave(failed.step.node)

    def only_watches(self, step: Step) -> bool:
        """Say whether work can do without a step: one that hangs is no reason to give the rest of its node up."""
        sheet = self.site.roles.get(step.action.role) if isinstance(step.action, ApplyRole) else None
        return sheet is not None and sheet.role.turn >= WATCHING

    def take_step(self, step: Step, message: str) -> None:
        if message:
            self.fail(step, "", message, "", 0.0)
        else:
            self.finish(step, int(isinstance(step.action, WriteFile | Reboot)), 0.0)
        self.leave(step.node)

    def take_end(self, running: Running, message: str, now: float) -> None:
        """A batch is at its end: nodes whose end it did not tell are taken for failed."""
        if running.batch.is_roles:
            said = f"ansible-playbook: {message}" if message else "ansible-playbook ended before it was done"
            for node in running.follower.open_nodes():
                self.take_changes(running.follower.end(node, said, now), running)
            return
        for step in [step for steps in running.batch.steps.values() for step in steps]:
            if step.id not in self.board.ends and not self.stopping:
                self.take_step(step, message or "it came to no end")

    def give_up_silent(self) -> None:
        """Take nodes that were silent for too long for failed; their playbook ends when the others are done."""
        now = time.monotonic()
        for running in self.crew.running.values():
            if not running.batch.is_roles:
                continue
            for node in running.silent(now, self.site.silence_s):
                message = f"it hangs: nothing was heard of it for {self.site.silence_s:g} s"
                self.take_changes(running.follower.end(node, message, now), running)
            if not running.follower.open_nodes() and now - running.heard_at >= min(
                LEAVE_S, self.site.silence_s
            ):
                running.ending.set()

    def finish(self, step: Step, changed: int, seconds: float) -> None:
        self.board.done(step)
        self.ledger.save(self.entry(step, "done", changed=changed, seconds=seconds))
        self.ended[step.id] = Ended(step=step, state="done", changed=changed, seconds=seconds)
        name = name_of(step)
        self.tell(Progress(node=step.node, name=name, state="done", changed=changed, seconds=seconds))
        self.changed = True

    def fail(
        self, step: Step, task: str, message: str, log: str, seconds: float, *, gone: bool = False
    ) -> None:
        self.ledger.save(self.entry(step, "failed", message=message, seconds=seconds))
        self.note_failure(step, task, message, log, seconds, gone=gone)

    def note_failure(
        self, step: Step, task: str, message: str, log: str, seconds: float, *, gone: bool
    ) -> None:
        self.ended[step.id] = Ended(
            step=step, state="failed", message=message, task=task, log=log, seconds=seconds
        )
        self.tell(Progress(node=step.node, name=name_of(step), state="failed", task=task, message=message))
        for held in self.board.fail(step, gone=gone):
            why = f"waits for {name_of(step)} on {step.node}, which failed"
            self.ended[held.id] = Ended(step=held, state="held", message=why)
            self.tell(Progress(node=held.node, name=name_of(held), state="held", message=why))
        self.changed = True

    def leave(self, node: str) -> None:
        self.board.free(node)
        self.changed = True

    def entry(
        self, step: Step, state: StepState, *, changed: int = 0, seconds: float = 0.0, message: str = ""
    ) -> Entry:
        sheet = self.site.roles.get(step.action.role) if isinstance(step.action, ApplyRole) else None
        return Entry(
            id=step.id,
            node=step.node,
            name=name_of(step),
            key=step.key,
            parts=parts_of(step, "" if sheet is None else sheet.sha256),
            state=state,
            run=self.run_id,
            at=time.time(),
            seconds=seconds,
            changed=changed,
            message=message,
        )
