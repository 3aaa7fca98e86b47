"""The threads that carry out batches, one each, and what they tell: events, ends of steps, their own end."""

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path

from l0_infra.apply.act import act
from l0_infra.apply.ansible import PlaybookRun
from l0_infra.apply.board import Batch
from l0_infra.apply.events import PlaybookEvent, TaskBegun, TaskEnded
from l0_infra.apply.follow import Follower
from l0_infra.apply.site import Site
from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Result, ends_with, fan_out
from l0_infra.schemas import Step

__all__ = ["Crew", "Heard", "Running"]

TICK_S = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """What a thread tells: an event of its playbook, how a step ended (well without a `message`), or its own end."""

    batch: int
    event: PlaybookEvent | None = None
    step: Step | None = None
    message: str = ""
    over: bool = False


@dataclass(slots=True)
class Running:
    """A batch at work. `at_task` holds since when each node is at its task, `heard_at` when anything was last heard."""

    batch: Batch
    follower: Follower
    log: str
    heard_at: float
    at_task: dict[str, float] = field(default_factory=dict)
    ending: threading.Event = field(default_factory=threading.Event)

    def note(self, event: PlaybookEvent, now: float) -> None:
        """Note when a node begins a task, and that it is at none."""
        self.heard_at = now
        if isinstance(event, TaskBegun):
            self.at_task[event.node] = now
        elif isinstance(event, TaskEnded):
            self.at_task.pop(event.node, None)

    def silent(self, now: float, silence_s: float) -> tuple[str, ...]:
        """List the nodes that have been at one task for too long; all of them when ansible itself is that silent."""
        nodes = self.follower.open_nodes()
        if now - self.heard_at >= silence_s:
            return nodes
        return tuple(node for node in nodes if now - self.at_task.get(node, now) >= silence_s)


class Crew:
    """Carries out batches, several at once."""

    def __init__(self, site: Site, unfinished: Mapping[str, Sequence[str]]) -> None:
        self.site, self.unfinished = site, unfinished
        self.running: dict[int, Running] = {}
        self.heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        self.started = 0

    def has_room(self) -> bool:
        """Whether one more may begin."""
        return len(self.running) < self.site.playbooks

    def start(self, batch: Batch) -> None:
        """Begin a batch."""
        self.started += 1
        number = self.started
        folder = self.site.folder / f"{number:02}-{batch.names[0]}"
        running = Running(
            batch=batch,
            follower=Follower(batch),
            log=str(folder / "log") if batch.is_roles else "",
            heard_at=time.monotonic(),
        )
        self.running[number] = running
        arguments = (number, running, folder)
        threading.Thread(target=copy_context().run, args=(self._serve, *arguments), daemon=True).start()

    def listen(self, timeout_s: float = TICK_S) -> list[Heard]:
        """Return what was told by now; waits for the first when there is nothing."""
        told: list[Heard] = []
        try:
            told.append(self.heard.get(timeout=timeout_s))
            while True:
                told.append(self.heard.get_nowait())
        except queue.Empty:
            return told

    def end_all(self, take: Callable[[Heard], None], limit_s: float) -> None:
        """Tell all to end and wait for it, while what they still tell is taken."""
        for running in self.running.values():
            running.ending.set()
        end = time.monotonic() + limit_s
        while self.running and time.monotonic() < end:
            for heard in self.listen():
                take(heard)

    def _serve(self, number: int, running: Running, folder: Path) -> None:
        message = "it was ended"
        try:
            with ends_with(running.ending):
                message = (self._play if running.batch.is_roles else self._act)(number, running.batch, folder)
        except OgaiError as error:
            message = str(error)
        except OSError as error:
            message = f"this machine: {error}"
        finally:
            self.heard.put(Heard(batch=number, over=True, message=message))

    def _play(self, number: int, batch: Batch, folder: Path) -> str:
        def told(event: PlaybookEvent) -> None:
            self.heard.put(Heard(batch=number, event=event))

        unfinished = {node: names for node in batch.steps if (names := self.unfinished.get(node))}
        return PlaybookRun(batch, self.site, folder, unfinished, told).run()

    def _act(self, number: int, batch: Batch, folder: Path) -> str:
        def work(step: Step) -> None:
            act(step, self.site.runner(step.node), sudo=self.site.hosts[step.node].sudo)

        def ended(result: Result[Step, None]) -> None:
            message = "" if result.error is None else str(result.error)
            self.heard.put(Heard(batch=number, step=result.item, message=message))

        fan_out([step for steps in batch.steps.values() for step in steps], work, on_done=ended)
        return ""
