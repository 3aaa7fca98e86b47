"""The invariants of the engine, each checked by what the outside can see."""

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from chaos.history import History, JobKey
from chaos.kinds import Kind
from chaos.world import World
from l2_scheduler.local.logs import read_log
from l2_scheduler.schemas import FINAL_STATES, JobStatus

__all__ = ["Audit", "Violation", "Witness", "read_witness"]

LATE_S = 3.0
LONGEST = 1500
LINE = re.compile(rb"(\d+) (\S+ rank \d+) ([0-9a-f]{8})$")
COULD_NOT_START = ("the job could not be started", "cannot be started")


@dataclass(frozen=True, kw_only=True, slots=True)
class Violation:
    """An invariant that did not hold, and where."""

    invariant: str
    found: str


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What the proof needs of `exit.json`."""

    state: str
    elapsed_s: float
    lost_log_bytes: int = 0


@dataclass(slots=True)
class Witness:
    """What jobs themselves wrote down: how often each (job, attempt, rank) started and ended."""

    started: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    ended: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    warned: Counter[tuple[str, int, int]] = field(default_factory=Counter)

    def attempts(self) -> dict[str, set[int]]:
        """List for each job which attempts really ran."""
        found: dict[str, set[int]] = defaultdict(set)
        for job, attempt, _ in self.started:
            found[job].add(attempt)
        return found


def read_witness(path: Path) -> Witness:
    """Read what the jobs of one world wrote."""
    witness = Witness()
    books = {"start": witness.started, "end": witness.ended, "warned": witness.warned}
    for line in path.read_text().splitlines():
        event, job, attempt, rank, _ = line.split()
        books[event][job, int(attempt), int(rank)] += 1
    return witness


class Audit:
    """Counts what was checked and keeps what did not hold."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.checked: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self.read: set[tuple[str, str, int]] = set()

    def check(self, invariant: str, holds: bool, found: str) -> None:
        self.checked[invariant] += 1
        violation = Violation(invariant=invariant, found=found[:LONGEST])
        if not holds and violation not in self.violations:
            self.violations.append(violation)

    def jobs(self, world: World, statuses: Iterable[JobStatus]) -> None:
        """Check everything about jobs that have ended."""
        ended = [status for status in statuses if status.state in FINAL_STATES]
        for check in (self.ends, self.runs, self.limits, self.logs):
            check(world, ended)

    def submissions(self, world: World, statuses: Iterable[JobStatus]) -> None:
        """A submission is wholly there or wholly absent; one that was confirmed is there."""
        rows = Counter(status.job.name for status in statuses)
        for submission in self.history.submissions:
            known = (world.name, submission.name) not in self.history.forgotten_names
            if submission.world != world.name or not known:
                continue
            count, what = rows[submission.name], f"{world.name}: {submission.name}"
            if submission.exit_code == 0:
                self.check(
                    "a confirmed submission exists", count == submission.count, f"{what}: {count} rows"
                )
            elif submission.exit_code is not None and submission.exit_code > 0:
                self.check("a refused submission is absent", count == 0, f"{what}: {submission.words}")
            else:
                whole = count in {0, submission.count}
                self.check("a killed submission is whole or absent", whole, f"{what}: {count} rows")

    def ends(self, world: World, statuses: Iterable[JobStatus]) -> None:
        """Every job ended as its kind, and what was done to it, allow."""
        kinds = {s.name: s.kind for s in self.history.submissions if s.world == world.name}
        for status in statuses:
            what = f"{world.name}: job {status.job_id} ({status.job.name}): {status.state}, {status.reason}"
            kind = kinds[status.job.name]
            self.check("the state is one that can be", self.may_end(world, status, kind), what)

    def may_end(self, world: World, status: JobStatus, kind: Kind) -> bool:
        key: JobKey = (world.name, status.job_id)
        allowed = set(kind.ends)
        if self.history.was(key, "cancelled") or status.job.depends_on:
            allowed.add("CANCELLED")
        if self.history.was(key, "shim killed") and not status.job.retry.restartable:
            allowed.add("NODE_FAIL")
        if self.history.was(key, "task killed") or status.reason.startswith(COULD_NOT_START):
            allowed.add("FAILED")
        return status.state in allowed

    def runs(self, world: World, statuses: Iterable[JobStatus]) -> None:
        """No attempt runs twice, no job runs again without leave, COMPLETED is what the job itself witnessed."""
        witness = read_witness(world.witness)
        for key, count in witness.started.items():
            self.check("no attempt runs twice", count == 1, f"{world.name}: {key} started {count} times")
        attempts = witness.attempts()
        for status in statuses:
            ran = attempts.get(status.job_id, set())
            what = f"{world.name}: job {status.job_id} ({status.job.name}) ran as attempts {sorted(ran)}"
            self.check("no job runs again without leave", self.may_run(world, status, len(ran)), what)
            ended = all(
                witness.ended[status.job_id, status.attempt, rank]
                for rank in range(status.job.resources.tasks_per_node)
            )
            if status.state == "COMPLETED":
                self.check("COMPLETED means the job came to its end", ended, what)
            if status.attempt == 0:
                self.check("what never started left no trace", not ran, what)

    def may_run(self, world: World, status: JobStatus, times: int) -> bool:
        again = self.history.was((world.name, status.job_id), "requeued") or status.job.retry.restartable
        return again or times <= 1 + status.job.retry.limit

    def limits(self, world: World, statuses: Iterable[JobStatus]) -> None:
        """A time limit ends a job neither early nor late."""
        for status in statuses:
            limit = status.job.limits.time_s
            if limit is None or status.elapsed_s is None:
                continue
            what = f"{world.name}: job {status.job_id} {status.state} after {status.elapsed_s:.2f} s of {limit:g}"
            latest = limit + status.job.limits.grace_s + LATE_S
            self.check("time limits are kept", status.elapsed_s < latest, what)
            if status.state == "TIMEOUT":
                self.check("no time-out is early", status.elapsed_s >= limit, what)

    def logs(self, world: World, statuses: Iterable[JobStatus]) -> None:
        """What a completed job printed is in its log once, in order; a loss is told in the log."""
        for status in statuses:
            key = (world.name, status.job_id, status.attempt)
            if not status.job.name.startswith("lines-") or status.state != "COMPLETED" or key in self.read:
                continue
            self.read.add(key)
            outcome = world.layout.attempt(status.job_id, status.attempt) / "exit.json"
            self.check("COMPLETED has its outcome on disk", outcome.exists(), str(outcome))
            if not outcome.exists():
                continue
            for rank in range(status.job.resources.tasks_per_node):
                attempt = world.layout.attempt(status.job_id, status.attempt)
                text = b"".join(piece.data for piece in read_log(attempt, rank))
                lost, told = lost_bytes(attempt), status.reason
                fault = log_fault(text, int(status.job.command[-1]), lost=lost, told=told)
                self.check("logs are whole", not fault, f"{attempt}/task-{rank}.log: {fault}")


def lost_bytes(attempt: Path) -> int:
    return msgspec.json.decode((attempt / "exit.json").read_bytes(), type=Outcome).lost_log_bytes


def log_fault(text: bytes, count: int, *, lost: int, told: str) -> str:
    """Say what is wrong with a log of numbered lines; empty if nothing is."""
    numbers = list(numbers_of(text))
    if not lost:
        return (
            "" if numbers == list(range(count)) else f"{len(numbers)} whole lines of {count}, no loss stated"
        )
    if f"{lost} bytes of output were lost" not in told:
        return f"{lost} bytes lost, and the job's reason does not say so but `{told}`"
    return "" if numbers == sorted(set(numbers)) else "lines out of order or doubled"


def numbers_of(text: bytes) -> Iterator[int]:
    """Yield the numbers of those lines that are whole."""
    for line in text.splitlines():
        match = LINE.match(line)
        if match and zlib.crc32(match[1] + b" " + match[2]) == int(match[3], 16):
            yield int(match[1])
