"""What the live view of a run shows: its directory and its job, looked at again and again at little cost."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from l0_infra.core.errors import UsageError
from l2_scheduler import Blocker, LocalEngine, read_log
from l2_scheduler.schemas import FINAL_STATES, JobStatus
from l3_modeltools import (
    Happened,
    Mark,
    MetricsReader,
    OneClock,
    RanksNow,
    Sample,
    count_parameters,
    judge_run,
    list_saved,
    load_run,
    read_ends,
    read_faults,
    read_marks,
    read_outcome,
    read_ranks,
    read_samples,
    read_starts,
)
from l3_modeltools.schemas import Architecture, Run, TrainingFault
from ogai.flows.train.history import History

__all__ = ["Scene", "Watch"]

Found = TypeVar("Found")
LINES = 200
EVENTS = "events.jsonl"


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """Everything about a run at one moment; times are in seconds since the epoch."""

    now: float
    run: Run
    """As it stands; its figures are those of the newest steps."""
    job: JobStatus | None = None
    blockers: tuple[Blocker, ...] = ()
    """What keeps its job waiting."""
    starts: tuple[float, ...] = ()
    """When its jobs were started and started again."""
    history: History = field(default_factory=History)
    marks: tuple[Mark, ...] = ()
    faults: tuple[TrainingFault, ...] = ()
    ranks: RanksNow | None = None
    samples: tuple[Sample, ...] = ()
    saved_at: float | None = None
    """When the newest checkpoint was written."""
    log: tuple[str, ...] = ()
    """The last lines it printed, where they were asked for."""
    parameters: int | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.run.state in ("COMPLETED", "FAILED", "CANCELLED")


class Watch:
    """Looks at one run; what changes seldom is read anew every few seconds, what grows is read on."""

    def __init__(self, engine: LocalEngine, directory: Path) -> None:
        self.engine, self.directory = engine, directory
        self.guard = engine.guard()
        self.clock = OneClock((), 0.0)
        self.reader, self.history = MetricsReader(directory), History()
        self.lines = LogTail()
        self.run = Kept(lambda: load_run(directory), every_s=1)
        self.marks = Kept(lambda: read_marks(directory), every_s=1)
        self.faults = Kept(lambda: read_faults(directory), every_s=1)
        self.samples = Kept(lambda: read_samples(directory), every_s=3)
        self.saved = Kept(lambda: list_saved(directory), every_s=3)
        self.starts: tuple[float, ...] = ()
        self.ends: tuple[float, ...] = ()
        self.started: tuple[str, ...] = ()
        self.parameters = parameters_of(self.run.get(0.0, fresh=False))

    def look(self, *, lines: bool = False) -> Scene:
        """Take one scene; with `lines` also of what it prints. Sees to it that an agent lives while the job is open."""
        now = time.time()
        job = self.job(self.run.get(now, fresh=False))
        over = job is None or job.state in FINAL_STATES
        if not over:
            self.guard.look(time.monotonic())
        kept, saved = self.run.get(now, fresh=over), self.saved.get(now, fresh=over)
        happened = self.happened(kept, job, now, fresh=over)
        self.history.take(self.reader.read())
        newest = tuple(self.history.newest)
        run = judge_run(kept, job, read_outcome(self.directory), newest, saved, happened=happened, now=now)
        return Scene(
            now=now,
            run=run,
            job=job,
            blockers=self.blockers(job),
            starts=tuple(happened.starts),
            history=self.history,
            marks=tuple(happened.marks),
            faults=happened.faults,
            ranks=None if over else read_ranks(self.directory),
            samples=self.samples.get(now, fresh=over),
            saved_at=written_at(self.directory / saved[-1].directory) if saved else None,
            log=self.lines.read(job) if lines and job else (),
            parameters=self.parameters,
        )

    def job(self, run: Run) -> JobStatus | None:
        """Return the last job that carried the run; None before the first, or when it has been forgotten."""
        if not run.job_ids:
            return None
        try:
            return self.engine.poll([run.job_ids[-1]])[0]
        except UsageError:
            return None

    def blockers(self, job: JobStatus | None) -> tuple[Blocker, ...]:
        """Say what keeps a waiting job waiting."""
        if job is None or job.state != "PENDING":
            return ()
        return self.engine.explain(job.job_id).blockers

    def happened(self, run: Run, job: JobStatus | None, now: float, *, fresh: bool) -> Happened:
        """Read what happened, on one clock; when that was set, all metrics are read again in its time."""
        clock = OneClock(self.marks.get(now, fresh=fresh), run.submitted_at)
        if clock.times_set != self.clock.times_set:
            self.reader, self.history = MetricsReader(self.directory, clock), History()
        self.clock = clock
        self.look_at_events(run, job)
        return Happened(
            starts=clock.outside(self.starts),
            ends=clock.outside(self.ends),
            marks=clock.marks,
            faults=clock.faults(self.faults.get(now, fresh=fresh)),
        )

    def look_at_events(self, run: Run, job: JobStatus | None) -> None:
        """Read when the run's jobs were started and ended, again only when there was another start or end."""
        started = (*run.job_ids, str(job.attempt) if job else "", job.state if job else "")
        if started != self.started:
            known = {status.job_id: status.directory for status in self.engine.poll(())}
            files = [Path(known[name]) / EVENTS for name in run.job_ids if name in known]
            self.starts, self.ends, self.started = read_starts(files), read_ends(files), started


class Kept(Generic[Found]):
    """Something that changes seldom: read at most once in `every_s` seconds, unless it must be fresh."""

    def __init__(self, read: Callable[[], Found], *, every_s: float) -> None:
        self._read, self._every_s = read, every_s
        self._found, self._read_at = read(), 0.0

    def get(self, now: float, *, fresh: bool) -> Found:
        """Return it as of `now`, in seconds since the epoch, or of a moment before."""
        if fresh or abs(now - self._read_at) >= self._every_s:
            self._found, self._read_at = self._read(), now
        return self._found


class LogTail:
    """The last lines of a job's newest attempt, read on from where the last look ended."""

    def __init__(self) -> None:
        self.folder = Path()
        self.offset = 0
        self.lines: deque[str] = deque(maxlen=LINES)
        self.unfinished = b""

    def read(self, job: JobStatus) -> tuple[str, ...]:
        """Return them, the oldest first."""
        folder = Path(job.directory) / str(max(1, job.attempt))
        if folder != self.folder:
            self.folder, self.offset, self.unfinished = folder, 0, b""
            self.lines.clear()
        for piece in read_log(folder, 0, from_offset=self.offset):
            *lines, self.unfinished = (self.unfinished + piece.data).split(b"\n")
            self.lines.extend(line.decode(errors="replace") for line in lines)
            self.offset = piece.end
        rest = self.unfinished.decode(errors="replace")
        return (*self.lines, rest) if rest else tuple(self.lines)


def parameters_of(run: Run) -> int | None:
    """Count the model's parameters; None where the architecture is not known."""
    architecture = run.train.model.architecture if run.train.model else None
    return count_parameters(architecture).total if isinstance(architecture, Architecture) else None


def written_at(checkpoint: Path) -> float | None:
    """Return when a checkpoint was written; None for one that was just removed to keep to the budget."""
    try:
        return checkpoint.stat().st_mtime
    except OSError:
        return None
