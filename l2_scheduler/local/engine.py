"""The embedded engine as its users see it: wishes go into the queue, the agent makes them true."""

import os
import pwd
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from l0_infra.core.errors import EngineError, UsageError
from l0_infra.core.store import prepare_home
from l1_podsys.schemas import ClusterState
from l2_scheduler.local.agent_process import (
    AgentGuard,
    AgentIdentity,
    SpawnAgent,
    agent_identity,
    last_line,
    stop_agent,
    wake_agent,
)
from l2_scheduler.local.arrays import expand_indices
from l2_scheduler.local.book import book_of
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import Ledger
from l2_scheduler.local.prune import Pruned, plan_prune, prune
from l2_scheduler.local.queue import JobQueue, Rule
from l2_scheduler.local.queues_file import load_queues
from l2_scheduler.local.records import Columns, Record
from l2_scheduler.local.refuse import refuse_job, refuse_unsound
from l2_scheduler.local.shell import capture_shell
from l2_scheduler.local.survey import Survey, Verdict, verdict_on
from l2_scheduler.local.unknown import unknown_job
from l2_scheduler.local.usage import Usage, probe_usage
from l2_scheduler.local.world import Probe, cluster_of, foreign_claims
from l2_scheduler.placement import Explanation, decide, explain
from l2_scheduler.schemas import ACTIVE_STATES, FINAL_STATES, Job, JobStatus, Queues

__all__ = ["LocalEngine"]

INHERITED = ("OGAI_HOME", "OGAI_LEDGER")
WAIT_LOOK_S = 0.05


class LocalEngine:
    """The queue of one OGAI_HOME on this machine. Every change is durable when the call returns."""

    def __init__(
        self, home: Path, *, ledger: Path, probe: Probe, spawn_agent: SpawnAgent, version: str
    ) -> None:
        try:
            self.layout = Layout(prepare_home(home) / "scheduler").prepare()
        except OSError as error:
            raise EngineError(
                str(error.filename or home),
                found=error.strerror or str(error),
                expected="a folder of this user",
                hint="choose another one: export OGAI_HOME=/var/tmp/$USER/ogai",
            ) from error
        self.queue = JobQueue(self.layout)
        self.ledger = ledger
        self.probe = probe
        self.spawn_agent = spawn_agent
        self.version = version

    def close(self) -> None:
        self.queue.close()

    def submit(
        self, job: Job, *, environment: Mapping[str, str], directory: Path, held: bool = False
    ) -> tuple[str, ...]:
        """Put a job into the queue and return its id, or the ids of its array's elements.

        `environment` is what the job will see besides its own variables; `directory` is where it runs if it names none.
        Raises DocumentError, UsageError or UnsatisfiableError for a job that can never run here; it is not queued.
        """
        refuse_unsound(job)
        job = msgspec.structs.replace(job, directory=str(directory / (job.directory or ".")))
        refuse_job(job, environment, load_queues(self.layout.queues), self.probe, self.known)
        captured = {name: text for name, text in environment.items() if keep_variable(name)}
        ids = self.queue.add(job, capture_shell({**captured, **job.environment}), time.time(), held=held)
        self.wake()
        return ids

    def poll(self, references: Sequence[str] = ()) -> tuple[JobStatus, ...]:
        """Return all jobs, or those named (an array's id: all its elements). Raises UsageError for an unknown id."""
        records = [r for ref in references for r in self.known(ref)] if references else self.queue.all()
        return tuple(record.status for record in records)

    def cancel(self, references: Sequence[str], *, now: bool = False) -> tuple[str, ...]:
        """End jobs: waiting ones at once, running ones by SIGTERM, their grace, SIGKILL (`now`: SIGKILL at once).

        Returns the ids concerned; jobs that have ended already are left alone.
        """
        reason = f"by {user_name()}"
        waiting: Columns = {"state": "CANCELLED", "reason": reason, "ended_at": time.time()}
        running: Columns = {"request": "kill" if now else "cancel", "request_reason": reason}
        return self.change(references, Rule(("PENDING",), waiting), Rule(tuple(ACTIVE_STATES), running))

    def hold(self, references: Sequence[str]) -> tuple[str, ...]:
        """Keep waiting jobs from starting; return those that wait."""
        reason = f"held by {user_name()}"
        return self.change(references, Rule(("PENDING",), {"held": True, "reason": reason}))

    def release(self, references: Sequence[str]) -> tuple[str, ...]:
        """Let held or backed-off jobs start; return those that wait."""
        return self.change(references, Rule(("PENDING",), {"held": False, "reason": "", "not_before": None}))

    def prioritize(self, references: Sequence[str], priority: int) -> tuple[str, ...]:
        """Set the priority of waiting jobs; return those that wait."""
        return self.change(references, Rule(("PENDING",), {"priority": priority}))

    def throttle(self, array: str, most: int | None) -> None:
        """Set how many elements of an array run at once; None: as many as fit. Raises UsageError for other jobs."""
        record = self.known(array)[0]
        if record.status.job.array is None or array != str(record.submission):
            raise UsageError(
                f"job {array}",
                found="a job that is no array",
                expected="the id of an array",
                hint=f"ogai job throttle {record.submission}" if record.status.job.array else "",
            )
        self.queue.throttle(record.submission, most)
        self.wake()

    def requeue(self, references: Sequence[str]) -> tuple[str, ...]:
        """Run jobs again from the start: ended ones at once, running ones after they have been ended."""
        reason = f"requeued by {user_name()}"
        ended: Columns = {"state": "PENDING", "reason": reason, "not_before": None, "allocation": "[]"}
        fresh: Columns = {**ended, "retries": 0, "restarts": 0}
        running: Columns = {"request": "requeue", "request_reason": reason}
        return self.change(references, Rule(tuple(FINAL_STATES), fresh), Rule(tuple(ACTIVE_STATES), running))

    def change(self, references: Sequence[str], *rules: Rule) -> tuple[str, ...]:
        """Apply the first rule that fits to each job, and make the agent look."""
        changed = self.queue.change_each(self.ids(references), *rules)
        self.wake()
        return tuple(changed)

    def wait(self, references: Sequence[str], timeout_s: float | None = None) -> tuple[JobStatus, ...]:
        """Return the jobs once all have ended.

        Raises EngineError after `timeout_s` (retry), or when no agent can be kept alive.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        guard, seen = self.guard(), None
        while True:
            guard.look(time.monotonic())
            version = self.queue.database.data_version()
            if version != seen:
                seen, statuses = version, self.poll(references)
                if all(status.state in FINAL_STATES for status in statuses):
                    return statuses
            if deadline is not None and time.monotonic() > deadline:
                raise still_open(statuses, timeout_s or 0.0)
            time.sleep(WAIT_LOOK_S)

    def guard(self) -> AgentGuard:
        """Return what keeps an agent alive while somebody waits for its work."""
        return AgentGuard(self.layout, self.wake)

    def explain(self, reference: str) -> Explanation:
        """Say what keeps a waiting job waiting, and the smallest change that would start it."""
        job_id = self.known(reference)[0].job_id
        return explain(*self.observe(job_id), time.time(), job_id)

    def survey(self) -> Survey:
        """Say how the machine and its queue stand, and what the agent's next pass would decide."""
        cluster, queues, jobs = self.observe()
        decisions = decide(cluster, queues, jobs, time.time())
        return Survey(cluster=cluster, queues=queues, jobs=jobs, decisions=decisions)

    def observe(self, *named: str) -> tuple[ClusterState, Queues, tuple[JobStatus, ...]]:
        """Look at all that placement sees; ended jobs only if others wait for them or they are `named`."""
        book = book_of(self.queue.all())
        book.awaited.update(named)
        with Ledger(self.ledger).locked() as ledger:
            claims = ledger.claims()
        foreign = foreign_claims(claims, os.getuid(), str(self.layout.root), book.active())
        queues = load_queues(self.layout.queues)
        return cluster_of(self.probe(), foreign), queues, tuple(book.relevant())

    def rehearse(
        self, job: Job, *, environment: Mapping[str, str], directory: Path, held: bool = False
    ) -> tuple[JobStatus, Verdict]:
        """Say what `submit` would queue (of an array, the first element), and what would become of it now.

        Raises what `submit` raises; nothing is changed.
        """
        refuse_unsound(job)
        job = msgspec.structs.replace(job, directory=str(directory / (job.directory or ".")))
        refuse_job(job, environment, load_queues(self.layout.queues), self.probe, self.known)
        first = expand_indices(job.array.indices)[0] if job.array else None
        number = max((record.submission for record in self.queue.all()), default=0) + 1
        status = JobStatus(
            job_id=str(number) if first is None else f"{number}_{first}",
            job=job,
            held=held,
            priority=job.priority,
            array_index=first,
            submitted_at=time.time(),
        )
        return status, verdict_on(self.observe(), status, status.submitted_at)

    def usage(self) -> dict[str, Usage]:
        """Measure what the running jobs really use, by job id."""
        return probe_usage(record.status for record in book_of(self.queue.all()).active())

    def prune(self, *, older_than_s: float, apply: bool) -> tuple[Pruned, ...]:
        """Name the jobs that ended longer ago than that, with the bytes they take; forget them if `apply`."""
        return prune(self.queue, plan_prune(self.queue.all(), older_than_s, time.time()), apply=apply)

    def agent(self) -> AgentIdentity | None:
        """Say which agent lives."""
        return agent_identity(self.layout)

    def agents_trouble(self) -> str | None:
        """Return the last trouble that the living agent told of; None if it told of none."""
        identity, log = self.agent(), self.layout.agent_log
        if identity is None or not log.exists() or log.stat().st_mtime < identity.started_at:
            return None
        return last_line(log)

    def stop_agent(self) -> bool:
        """Ask the agent to leave; running jobs go on."""
        return stop_agent(self.layout)

    def wake(self) -> None:
        """Make the agent look, starting it if there is none."""
        wake_agent(self.layout, self.version, self.spawn_agent)

    def known(self, reference: str) -> list[Record]:
        records = self.queue.find(reference)
        if not records:
            raise unknown_job(reference, [record.status for record in self.queue.all()])
        return records

    def ids(self, references: Iterable[str]) -> list[str]:
        return [record.job_id for reference in references for record in self.known(reference)]


def user_name() -> str:
    """Name who asks; in a container the machine may know no name for a user's number."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


def keep_variable(name: str) -> bool:
    """Tell whether a captured variable belongs to the user, not to the job that this submission comes from."""
    return not name.startswith("OGAI_") or name in INHERITED


def still_open(statuses: Iterable[JobStatus], timeout_s: float) -> EngineError:
    ids = ", ".join(status.job_id for status in statuses if status.state not in FINAL_STATES)
    return EngineError(
        f"job {ids}",
        found=f"still open after {timeout_s:g} s",
        expected="an end",
        hint="wait longer",
        retry=True,
    )
