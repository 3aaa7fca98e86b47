"""From waiting to running: decide under the machine's ledger, claim the slots, start the shims."""

import os
import time
from collections.abc import Iterable

from l0_infra.core.errors import FactsMissingError
from l1_podsys.schemas import NodeState
from l2_scheduler.local.book import Book
from l2_scheduler.local.holdings import Holdings
from l2_scheduler.local.launch import describe_launch, launch
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import Claim, HeldClaim, Ledger, OpenLedger
from l2_scheduler.local.queue import JobQueue, Rule
from l2_scheduler.local.queues_file import load_queues
from l2_scheduler.local.records import Record
from l2_scheduler.local.settle import settle_void
from l2_scheduler.local.trouble import tell_trouble
from l2_scheduler.local.world import Probe, cluster_of, foreign_claims
from l2_scheduler.placement import Decisions, Start, decide

__all__ = ["LAUNCH_AGAIN_S", "Placer"]

LAUNCH_AGAIN_S = 5.0


class Placer:
    """The part of the agent that starts jobs; `wake_at` is when the answer may change by time alone."""

    def __init__(
        self, layout: Layout, ledger: Ledger, probe: Probe, *, queue: JobQueue, book: Book, holdings: Holdings
    ) -> None:
        self.layout = layout
        self.ledger = ledger
        self.probe = probe
        self.queue = queue
        self.book = book
        self.holdings = holdings
        self.wake_at: float | None = None

    def look(self) -> NodeState:
        """Observe the machine; jobs without accelerators go on when their vendor's tool does not answer."""
        try:
            return self.probe()
        except FactsMissingError as error:
            tell_trouble(error)
            return self.probe(accelerators=False)

    def place(self) -> None:
        """Decide under the ledger's lock, so that two agents never count the same slot as free."""
        self.wake_at = None
        if not self.book.pending():
            return
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
            now = time.time()
            columns = settle_void(record, f"cannot be started: {error}", now + LAUNCH_AGAIN_S, now)
            self.queue.change_each([record.job_id], Rule(("CONFIGURING",), columns, record.request))
            self.holdings.drop(record.job_id)
