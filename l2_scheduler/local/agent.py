"""The agent: a loop that makes the machine follow the queue. All it knows is on disk, so the next one goes on."""

import contextlib
import signal
import time
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Literal

from l0_infra.core.errors import EngineError, OgaiError
from l2_scheduler.local.attempts import (
    Exit,
    Fate,
    observe_attempt,
    read_exit,
    read_keeper,
    tell,
    unknown_exit,
)
from l2_scheduler.local.bell import Bell, Word
from l2_scheduler.local.book import Book
from l2_scheduler.local.holdings import Holdings
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import Ledger
from l2_scheduler.local.lost import bury
from l2_scheduler.local.placer import LAUNCH_AGAIN_S, Placer
from l2_scheduler.local.processes import signal_identity
from l2_scheduler.local.queue import JobQueue, Rule
from l2_scheduler.local.records import Columns, Record
from l2_scheduler.local.settle import settle, settle_void
from l2_scheduler.local.trouble import tell_trouble
from l2_scheduler.local.world import Probe
from l2_scheduler.schemas import ACTIVE_STATES

__all__ = ["Agent"]

LOOK_EVERY_S = 5.0
STARTING_LOOK_S = 0.25
IDLE_EXIT_S = 60.0
MOST_TROUBLE_S = 10.0


class Agent:
    """One turn: take in what changed, see what became of running attempts, grant wishes, start what fits."""

    def __init__(self, layout: Layout, ledger: Ledger, probe: Probe, bell: Bell) -> None:
        self.layout = layout
        self.bell = bell
        self.queue = JobQueue(layout, durable=False, on_damage=tell_trouble)
        self.book = Book()
        self.holdings = Holdings()
        self.placer = Placer(layout, ledger, probe, queue=self.queue, book=self.book, holdings=self.holdings)

    def run(self) -> Literal["idle", "told"]:
        """Work until told to quit, or until there has been nothing to do for a minute; say which.

        Also leave when the queue was removed or replaced: the next agent works on the one that is there.
        """
        idle_since, pause_s = time.monotonic(), 0.0
        while True:
            if not self.queue.database.is_in_place():
                tell_trouble(
                    EngineError(str(self.layout.database), found="another file", expected="our queue")
                )
                return "told"
            pause_s = 0.0 if self.turn() else min(MOST_TROUBLE_S, 2 * pause_s or 0.25)
            if self.book.open:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > IDLE_EXIT_S:
                return "idle"
            if "quit" in self.rest(pause_s):
                return "told"

    def rest(self, pause_s: float) -> set[Word]:
        """Sleep until something happens. In trouble only the bell wakes: shims that ended are still unread, and would
        wake at once, again and again.
        """
        if pause_s:
            return self.bell.wait(pause_s)
        return self.bell.wait(self.sleep_s(), self.holdings.descriptors())

    def turn(self) -> bool:
        """Do all there is to do; what fails is told and tried again, and keeps nothing else from being done."""
        if not attempt(self.refresh):
            return False
        well = for_each(self.book.active(), self.reconcile)
        if not attempt(self.refresh):
            return False
        well &= for_each(self.book.active(), self.grant)
        well &= for_each((r for r in self.book.pending() if r.status.not_before), self.forgive_clock)
        return attempt(self.placer.place) and well

    def refresh(self) -> None:
        self.book.refresh(self.queue)

    def sleep_s(self) -> float:
        """Say how long nothing can happen that does not ring the bell."""
        if any(record.status.state == "CONFIGURING" or record.request for record in self.book.active()):
            return STARTING_LOOK_S
        if self.placer.wake_at is None:
            return LOOK_EVERY_S
        return min(LOOK_EVERY_S, max(0.01, self.placer.wake_at - time.time()))

    def reconcile(self, record: Record) -> None:
        """Bring one active job's row in line with its attempt's folder."""
        folder, now = self.layout.attempt(record.job_id, record.status.attempt), time.time()
        fate = observe_attempt(folder, launching=self.holdings.is_launching(record.job_id))
        if fate == "running":
            self.note_running(record)
            return
        outcome = outcome_of(fate, record, folder, now)
        columns = settle(record, outcome, now) if outcome else self.give_back(record, now)
        if self.queue.change_each([record.job_id], Rule(tuple(ACTIVE_STATES), columns, record.request)):
            self.holdings.drop(record.job_id)

    def give_back(self, record: Record, now: float) -> Columns:
        """Have an attempt that never started tried again: at once, or later if it was the machine that refused."""
        if self.holdings.was_refused(record.job_id):
            return settle_void(record, "the machine had no room to start it", now + LAUNCH_AGAIN_S, now)
        return settle_void(record, "its launch was cut short", None, now)

    def note_running(self, record: Record) -> None:
        if self.holdings.is_watched(record.job_id):
            return
        keeper = read_keeper(self.layout.attempt(record.job_id, record.status.attempt))
        if keeper is None:
            return
        self.holdings.watch(record.job_id, keeper.pid)
        self.queue.change(record.job_id, ["CONFIGURING"], state="RUNNING", started_at=keeper.started_at)

    def grant(self, record: Record) -> None:
        """Pass a wish about an active job on to its shim; a shim that is not there yet is asked again.

        A shim that something stopped is made to go on, or it could never obey.
        """
        if not record.request:
            return
        order = "kill" if record.request == "kill" else "end"
        folder = self.layout.attempt(record.job_id, record.status.attempt)
        if tell(folder, f"{order} CANCELLED {record.request_reason or record.request}"):
            self.queue.change(record.job_id, ["CONFIGURING", "RUNNING"], state="COMPLETING")
            if keeper := read_keeper(folder):
                with contextlib.suppress(PermissionError):  # a shim.json that the job forged
                    signal_identity(keeper, signal.SIGCONT)

    def forgive_clock(self, record: Record) -> None:
        """Shorten a wait that a backward jump of the clock has made longer than any back-off."""
        longest = time.time() + record.status.job.retry.backoff_max_s + LAUNCH_AGAIN_S
        if (record.status.not_before or 0.0) > longest:
            self.queue.change(record.job_id, ["PENDING"], not_before=longest)


def for_each(records: Iterable[Record], act: Callable[[Record], None]) -> bool:
    """Do it for each, whatever becomes of the others; tell whether all went well."""
    well = True
    for record in records:
        well &= attempt(partial(act, record))
    return well


def outcome_of(fate: Fate, record: Record, folder: Path, now: float) -> Exit | None:
    """Say how the attempt ended; None if it never began."""
    if fate == "lost":
        return bury(folder, now)
    if fate == "never_started" and record.status.state != "CONFIGURING":
        return unknown_exit("its folder was removed while it ran", now, record.status.started_at)
    return read_exit(folder, now)


def attempt(act: Callable[[], None]) -> bool:
    """Do it and tell whether it went well; a full disk, a locked store or a defect of ours ends no agent."""
    try:
        act()
    except (OgaiError, OSError) as error:
        tell_trouble(error)
        return False
    except Exception:  # noqa: BLE001  the boundary: jobs must go on, and the traceback is in the log
        traceback.print_exc()
        return False
    return True
