"""The agent: a loop that makes the machine follow the queue. All it knows is on disk, so the next one goes on."""

import os
import sys
import time
from collections.abc import Iterable
from typing import Literal

from l0_infra.core.errors import FactsMissingError, OgaiError
from l1_podsys.schemas import NodeState
from l2_scheduler.local.attempts import observe_attempt, read_exit, read_keeper, tell
from l2_scheduler.local.bell import Bell
from l2_scheduler.local.book import Book
from l2_scheduler.local.holdings import Holdings
from l2_scheduler.local.launch import describe_launch, launch
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import Claim, HeldClaim, Ledger, OpenLedger
from l2_scheduler.local.lost import bury
from l2_scheduler.local.queue import JobQueue, Rule
from l2_scheduler.local.queues_file import load_queues
from l2_scheduler.local.records import Record
from l2_scheduler.local.settle import settle, settle_void
from l2_scheduler.local.world import Probe, cluster_of, foreign_claims
from l2_scheduler.placement import Decisions, Start, decide
from l2_scheduler.schemas import ACTIVE_STATES

__all__ = ["Agent"]

LOOK_EVERY_S = 5.0
STARTING_LOOK_S = 0.25
LAUNCH_AGAIN_S = 5.0
IDLE_EXIT_S = 60.0
MOST_TROUBLE_S = 10.0


class Agent:
    """One turn: take in what changed, see what became of running attempts, grant wishes, start what fits."""

    def __init__(self, layout: Layout, ledger: Ledger, probe: Probe, bell: Bell) -> None:
        self.layout = layout
        self.ledger = ledger
        self.probe = probe
        self.bell = bell
        self.queue = JobQueue(layout)
        self.book = Book()
        self.holdings = Holdings()
        self.wake_at: float | None = None

    def run(self) -> Literal["idle", "told"]:
        """Work until told to quit, or until there has been nothing to do for a minute; say which."""
        idle_since, pause_s = time.monotonic(), 0.0
        while True:
            pause_s = 0.0 if self.try_turn() else min(MOST_TROUBLE_S, 2 * pause_s or 0.25)
            if self.book.open:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > IDLE_EXIT_S:
                return "idle"
            if "quit" in self.bell.wait(pause_s or self.sleep_s(), self.holdings.descriptors()):
                return "told"

    def try_turn(self) -> bool:
        """Do one turn; a full disk or a locked store is told and tried again later."""
        try:
            self.turn()
        except (OgaiError, OSError) as error:
            tell_trouble(error)
            return False
        return True

    def turn(self) -> None:
        self.book.refresh(self.queue)
        for record in self.book.active():
            self.reconcile(record)
        self.book.refresh(self.queue)
        for record in self.book.active():
            self.grant(record)
        self.wake_at = None
        self.forgive_clock()
        if self.book.pending():
            self.place()

    def sleep_s(self) -> float:
        """Say how long nothing can happen that does not ring the bell."""
        if any(record.status.state == "CONFIGURING" or record.request for record in self.book.active()):
            return STARTING_LOOK_S
        if self.wake_at is None:
            return LOOK_EVERY_S
        return min(LOOK_EVERY_S, max(0.01, self.wake_at - time.time()))

    def reconcile(self, record: Record) -> None:
        """Bring one active job's row in line with its attempt's folder."""
        attempt, now = self.layout.attempt(record.job_id, record.status.attempt), time.time()
        fate = observe_attempt(attempt, launching=self.holdings.is_launching(record.job_id))
        if fate == "running":
            self.note_running(record)
            return
        outcome = bury(attempt, now) if fate == "lost" else read_exit(attempt, now)
        columns = settle(record, outcome, now) if outcome else settle_void("its launch was cut short", None)
        if self.queue.change_each([record.job_id], Rule(tuple(ACTIVE_STATES), columns, record.request)):
            self.holdings.drop(record.job_id)

    def note_running(self, record: Record) -> None:
        if self.holdings.is_watched(record.job_id):
            return
        keeper = read_keeper(self.layout.attempt(record.job_id, record.status.attempt))
        if keeper is None:
            return
        self.holdings.watch(record.job_id, keeper.pid)
        self.queue.change(record.job_id, ["CONFIGURING"], state="RUNNING", started_at=keeper.started_at)

    def grant(self, record: Record) -> None:
        """Pass a wish about an active job on to its shim; a shim that is not there yet is asked again."""
        if not record.request:
            return
        order = "kill" if record.request == "kill" else "end"
        attempt = self.layout.attempt(record.job_id, record.status.attempt)
        if tell(attempt, f"{order} CANCELLED {record.request_reason or record.request}"):
            self.queue.change(record.job_id, ["CONFIGURING", "RUNNING"], state="COMPLETING")

    def forgive_clock(self) -> None:
        """Shorten waits that a backward jump of the clock has made longer than any back-off."""
        now = time.time()
        for record in self.book.pending():
            longest = now + record.status.job.retry.backoff_max_s + LAUNCH_AGAIN_S
            if (record.status.not_before or 0.0) > longest:
                self.queue.change(record.job_id, ["PENDING"], not_before=longest)

    def look(self) -> NodeState:
        """Observe the machine; jobs without accelerators go on when their vendor's tool does not answer."""
        try:
            return self.probe()
        except FactsMissingError as error:
            tell_trouble(error)
            return self.probe(accelerators=False)

    def place(self) -> None:
        """Decide under the ledger's lock, so that two agents never count the same slot as free."""
        queues, node = load_queues(self.layout.queues), self.look()
        with self.ledger.locked() as ledger:
            foreign = foreign_claims(ledger.claims(), os.getuid(), str(self.layout.root), self.book.active())
            decisions = decide(cluster_of(node, foreign), queues, self.book.relevant(), time.time())
            started = self.take(ledger, decisions.starts)
        self.wake_at = time.time() if decisions.cancels else decisions.wake_at
        self.cancel_hopeless(decisions)
        self.book.refresh(self.queue)
        vendors = frozenset(accelerator.id.partition(":")[0] for accelerator in node.accelerators)
        times = {queue.name: queue.default_time_s for queue in queues.queues}
        for job_id in started:
            record = self.book.open[job_id]
            self.launch(record, vendors, times.get(record.status.job.queue))

    def take(self, ledger: OpenLedger, starts: Iterable[Start]) -> list[str]:
        """Claim the slots, then mark the jobs as starting; a claim whose job is gone meanwhile is given back."""
        taken: dict[str, HeldClaim] = {}
        kept: set[str] = set()
        try:
            for start in starts:
                taken[start.job_id] = ledger.add(self.claim_of(start))
            if taken:
                kept = self.queue.start(starts, time.time())
        finally:
            for job_id, claim in taken.items():
                if job_id in kept:
                    self.holdings.of(job_id).claim = claim
                else:
                    claim.release()
        return [job_id for job_id in taken if job_id in kept]

    def claim_of(self, start: Start) -> Claim:
        share = start.allocation[0]
        return Claim(
            user=os.getuid(),
            home=str(self.layout.root),
            job_id=start.job_id,
            attempt=self.book.open[start.job_id].status.attempt + 1,
            cpus=share.cpus,
            memory_bytes=share.memory_bytes,
            accelerators=share.accelerators,
        )

    def cancel_hopeless(self, decisions: Decisions) -> None:
        for lost in decisions.cancels:
            self.queue.change(
                lost.job_id, ["PENDING"], state="CANCELLED", reason=lost.reason, ended_at=time.time()
            )

    def launch(self, record: Record, vendors: frozenset[str], default_time_s: float | None) -> None:
        """Start the shim; if it cannot be started the job waits and is tried again."""
        held = self.holdings.of(record.job_id)
        try:
            told = describe_launch(record, self.layout, vendors, default_time_s)
            held.shim = launch(record, self.layout, told, held.claim.descriptor if held.claim else -1)
        except OSError as error:
            columns = settle_void(f"cannot be started: {error}", time.time() + LAUNCH_AGAIN_S)
            self.queue.change(record.job_id, ["CONFIGURING"], **columns)
            self.holdings.drop(record.job_id)


def tell_trouble(error: Exception) -> None:
    """Write to the agent's log what went wrong; it is tried again."""
    print(f"{time.strftime('%F %T')} {error}", file=sys.stderr, flush=True)
