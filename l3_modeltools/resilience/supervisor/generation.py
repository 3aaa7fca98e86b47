"""One generation of ranks, from their birth until the last has ended, whatever ends them."""

import selectors
import signal
import time
from dataclasses import dataclass, field

from l3_modeltools.resilience.ends import End
from l3_modeltools.resilience.hang import Hang
from l3_modeltools.resilience.supervisor.journal import say
from l3_modeltools.resilience.supervisor.messages import Born, Died, Kill, Ready, Spawn
from l3_modeltools.resilience.supervisor.nursery import Nursery
from l3_modeltools.resilience.supervisor.observer import Observer
from l3_modeltools.resilience.supervisor.pump import Pump
from l3_modeltools.resilience.supervisor.shared import Shared
from l3_modeltools.resilience.supervisor.wish import Wish
from l3_modeltools.resilience.threads import probe_thread

__all__ = ["Generation", "Over"]

TICK_S = 0.1
STACKS_S = 0.5
"""How long ranks that hang get to write their stacks."""

NURSERY_S, STOPPED_NURSERY_S, IMPORT_S = 60.0, 5.0, 600.0
"""How long a nursery may take for what it is to do at once, one that is stopped by a signal, and for its imports."""

STOP_AGAIN_S = 0.2
"""Between two signals to ranks that are to save and end: the first may come before they can hear it, and a fast run
has few seconds left."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hung:
    """The verdict that ranks hang, when it fell (seconds since the epoch, of CLOCK_MONOTONIC), and their stacks."""

    hang: Hang
    at: float
    at_s: float
    stacks: dict[int, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Over:
    """How a generation ended: in the order of time, with the verdict that ended it, if one did."""

    ends: tuple[End, ...]
    detected_at: float
    """When the first sign of the end was seen, in seconds since the epoch."""
    hung: Hung | None

    @property
    def completed(self) -> bool:
        """Whether all steps are done and safe: one rank says so only when all are that far."""
        return any(end.word is not None and end.word.kind == "done" for end in self.ends)

    @property
    def stopped(self) -> bool:
        """Whether the state is saved as it was told: one rank says so only when all are that far."""
        return any(end.word is not None and end.word.kind == "stopped" for end in self.ends)


@dataclass(kw_only=True)
class Generation:
    """The ranks that were forked together. `attend` returns when all have ended."""

    number: int
    port: int
    ranks: int
    shared: Shared
    nursery: Nursery
    pump: Pump
    observer: Observer
    wish: Wish
    has_progress: bool
    """Whether an earlier generation has done steps, which are to be saved before a wish to end is followed."""
    pids: dict[int, int] = field(default_factory=dict)
    ends: dict[int, End] = field(default_factory=dict)
    ordered: set[int] = field(default_factory=set)
    hung: Hung | None = None
    detected_at: float | None = None
    patient_until_s: float = 0.0
    asked_to_stop_s: float = 0.0
    served_s: float = field(default_factory=time.monotonic)
    """When the nursery was last known to owe nothing."""
    is_ready: bool = False

    def attend(self) -> Over:
        """Have the ranks forked as soon as the nursery can, and stay with them."""
        self.shared.renew()
        self.observer.begin()
        if self.is_ready:
            self._spawn()
        while len(self.ends) < self.ranks:
            self._hear()
            self._pass_on_wish()
            if self.pids:
                self._look()
            self._end_the_rest()
            self._watch_nursery()
        self.pump.forget()
        ends = tuple(sorted(self.ends.values(), key=lambda end: end.at))
        return Over(ends=ends, detected_at=self.detected_at or ends[-1].at, hung=self.hung)

    def _spawn(self) -> None:
        self.shared.renew()
        self.nursery.send(Spawn(generation=self.number, port=self.port))

    def _hear(self) -> None:
        """Wait a moment for what ranks print and what the nursery reports, and take it in."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.nursery, selectors.EVENT_READ)
            for rank, pipe in enumerate(self.shared.logs_read):
                selector.register(pipe, selectors.EVENT_READ, rank)
            for key, _ in selector.select(TICK_S):
                if key.data is not None:
                    self.pump.read(key.data)
        for report in self.nursery.read():
            match report:
                case Ready():
                    self.is_ready = True
                    self._spawn()
                case Born(pids=pids):
                    self.pids = dict(enumerate(pids))
                    self.observer.begin()
                case Died(generation=self.number, rank=rank, exit_code=code):
                    self._ended(rank, code)
                case None:
                    self._lost_nursery()

    def _ended(self, rank: int, exit_code: int) -> None:
        self.pump.read(rank)
        self.pump.flush(rank)
        self.pids.pop(rank, None)
        beat, _ = self.shared.pulses[rank].look()
        end = End(
            rank=rank,
            at=time.time(),
            exit_code=exit_code,
            ordered=rank in self.ordered,
            beat=beat,
            word=self.shared.word(rank),
            log=self.pump.last_lines(rank),
        )
        self.ends[rank] = end
        if exit_code and self.detected_at is None:
            self.detected_at = end.at
        if self.patient_until_s == 0.0:
            self.patient_until_s = time.monotonic() + self.observer.patience_s()

    def _lost_nursery(self) -> None:
        """All ranks went with it."""
        self.is_ready = False
        code = self.nursery.process.wait()
        for rank in range(self.ranks):
            if rank not in self.ends:
                self._ended(rank, code or 1)

    def _watch_nursery(self) -> None:
        """End a nursery that does not do its part any more, so that another one can."""
        now = time.monotonic()
        if not self._is_owed():
            self.served_s = now
            return
        state = probe_thread(self.nursery.process.pid)
        usual_s = NURSERY_S if self.is_ready else IMPORT_S
        limit_s = STOPPED_NURSERY_S if state is not None and state.state == "T" else usual_s
        if now - self.served_s > limit_s and len(self.ends) < self.ranks:
            say(
                f"the nursery did not do its part for {now - self.served_s:.0f} s; it is ended, with its ranks"
            )
            self.nursery.end()
            self._lost_nursery()

    def _is_owed(self) -> bool:
        """Say whether the nursery has to fork or to reap ranks, or to kill one as it was told."""
        if not self.pids or self.ordered & self.pids.keys():
            return True
        states = map(probe_thread, self.pids.values())
        return any(state is None or state.state == "Z" for state in states)

    def _pass_on_wish(self) -> None:
        """Tell ranks to save and end, again and again, for the first word may have come too early."""
        now = time.monotonic()
        if not self.wish.signal or now - self.asked_to_stop_s < STOP_AGAIN_S:
            return
        if not self.is_ready and not self.has_progress:  # nothing was begun
            self.nursery.end()
            self._lost_nursery()
        if self.nursery.process.poll() is None:
            self.nursery.process.send_signal(signal.SIGCONT)  # one that is stopped would pass nothing on
        if self.pids:
            self.asked_to_stop_s = now
        for rank in self.pids:
            self.nursery.send(Kill(rank=rank, signal=self.wish.signal))

    def _look(self) -> None:
        """See where ranks are; one that hangs is asked for its stacks and ended, the others then notice."""
        hang = self.observer.look(self.pids)
        if hang is None or self.hung is not None or not all(map(_went_well, self.ends.values())):
            return
        self.detected_at = time.time()
        self.hung = Hung(hang=hang, at=self.detected_at, at_s=time.monotonic(), stacks=self._gather_stacks())
        for rank in hang.suspects:
            self._kill(rank)
        self.patient_until_s = time.monotonic() + self.observer.patience_s()

    def _gather_stacks(self) -> dict[int, str]:
        """Ask every rank where it is; one that is stopped does not answer."""
        self.shared.forget_stacks()
        for rank in self.pids:
            self.nursery.send(Kill(rank=rank, signal=signal.SIGUSR2))
        deadline = time.monotonic() + STACKS_S
        while time.monotonic() < deadline and not all(self.shared.stack(rank) for rank in self.pids):
            time.sleep(0.02)
        return {rank: self.shared.stack(rank) for rank in self.pids}

    def _end_the_rest(self) -> None:
        """End ranks that do not notice that others are gone; those that save before they end are left to themselves."""
        if self.patient_until_s == 0.0 or time.monotonic() < self.patient_until_s:
            return
        if self.hung is not None or not all(map(_went_well, self.ends.values())):
            for rank in self.pids:
                self._kill(rank)

    def _kill(self, rank: int) -> None:
        if rank not in self.ordered:
            self.ordered.add(rank)
            self.nursery.send(Kill(rank=rank, signal=signal.SIGKILL))


def _went_well(end: End) -> bool:
    return end.word is not None and end.word.kind in ("done", "stopped")
