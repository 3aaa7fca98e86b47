"""The life of a run on one node: a generation of ranks after the other, until it is done, stopped, or given up."""

import time
from dataclasses import dataclass
from pathlib import Path
from signal import Signals

from msgspec.structs import replace

from l3_modeltools.frameworks import free_port
from l3_modeltools.memory import count_oom_kills
from l3_modeltools.resilience.catalogue import Catalogue
from l3_modeltools.resilience.classify import classify_ends
from l3_modeltools.resilience.classify_hang import classify_hang
from l3_modeltools.resilience.decide import Decision, decide
from l3_modeltools.resilience.kernel import KernelLine, KernelLog
from l3_modeltools.resilience.supervisor.budget import spent_restarts
from l3_modeltools.resilience.supervisor.generation import Generation, Over
from l3_modeltools.resilience.supervisor.journal import Journal, say
from l3_modeltools.resilience.supervisor.nursery import Nursery
from l3_modeltools.resilience.supervisor.observer import Observer
from l3_modeltools.resilience.supervisor.onlooker import Onlooker
from l3_modeltools.resilience.supervisor.pump import Pump
from l3_modeltools.resilience.supervisor.shared import Shared
from l3_modeltools.resilience.supervisor.wish import Wish
from l3_modeltools.runs import GAVE_UP, REFUSALS, SIGNALLED
from l3_modeltools.schemas import Run, RunState, TrainingFault

__all__ = ["Supervisor", "Witness"]

TICK_S = 0.1

STOPS = frozenset({"give_up", "restart_job"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Witness:
    """What knows of faults beside the ranks themselves."""

    catalogue: Catalogue
    kernel: KernelLog | None

    def kernel_lines(self) -> tuple[KernelLine, ...]:
        """Return what the kernel has said since it was asked last; nothing where it may not be read."""
        return self.kernel.read() if self.kernel is not None else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How a supervisor ends; `state` is the run's, None where its job is to be started again."""

    exit_code: int
    state: RunState | None
    reason: str
    fault: TrainingFault | None = None


class Supervisor:
    """Runs the ranks of `run` on this node. What it sees goes into the run's journal, what it does follows `decide`."""

    def __init__(self, run: Run, *, node: str, wish: Wish, witness: Witness, journal: Journal) -> None:
        self.run, self.node, self.wish = run, node, wish
        self.witness, self.journal = witness, journal
        self.shared = Shared(run.train.ranks_per_node)
        self.pump = Pump(self.shared.logs_read, say)
        self.onlooker = Onlooker(run.run_id, Path(run.directory), node, journal)
        self.observer = Observer(self.shared.pulses, self.onlooker)
        self.oom_kills = count_oom_kills()
        self.nursery: Nursery | None = None
        self.is_warm = False

    def supervise(self) -> int:
        """Go on until there is nothing more to do; return the exit code that the job's engine sees."""
        self.journal.supervised()
        try:
            ending = self._live()
        finally:
            if self.nursery is not None:
                self.nursery.end()
        self.journal.ended(ending.exit_code, ending.fault, ending.reason)
        if ending.state is not None:
            step = self.onlooker.highest_step or None
            self.journal.finish(ending.state, ending.reason, step=step, fault=ending.fault)
        return ending.exit_code

    def _live(self) -> Ending:
        number, fault = 0, None
        while True:
            over = self._generation(number, fault)
            if over.completed:
                return Ending(exit_code=0, state="COMPLETED", reason="all steps are done")
            if self.wish.signal and (over.stopped or not self.onlooker.highest_step):
                return self._stopped()
            fault, decision = self._answer(over)
            if self.wish.signal and decision.action in STOPS:
                return self._stopped(fault)
            if decision.action in STOPS:
                given_up = decision.action == "give_up"
                return Ending(
                    exit_code=_exit_code(decision, over),
                    state="FAILED" if given_up else None,
                    reason=decision.reason,
                    fault=fault,
                )
            if not self._pause(decision.wait_s) and not self.onlooker.highest_step:
                return self._stopped(fault)
            number += 1  # with a wish to end: what is in memory is saved first

    def _stopped(self, fault: TrainingFault | None = None) -> Ending:
        number = self.wish.signal
        lost = "" if fault is None else ", after a fault, without saving"
        return Ending(
            exit_code=SIGNALLED + number,
            state="CANCELLED",
            reason=f"told to end by {Signals(number).name}{lost}",
            fault=fault,
        )

    def _generation(self, number: int, because_of: TrainingFault | None) -> Over:
        """Start all ranks, with a nursery that is warm already if there is one, and stay until they have ended."""
        nursery = self._living_nursery()
        self.journal.spawned(because_of)
        self.onlooker.expect(because_of)
        generation = Generation(
            number=number,
            port=free_port(),
            ranks=self.run.train.ranks_per_node,
            shared=self.shared,
            nursery=nursery,
            pump=self.pump,
            observer=self.observer,
            wish=self.wish,
            has_progress=self.onlooker.highest_step > 0,
            is_ready=self.is_warm,
        )
        over = generation.attend()
        self.onlooker.highest_step = max(self.onlooker.highest_step, self.observer.step_done or 0)
        self.is_warm = generation.is_ready
        return over

    def _living_nursery(self) -> Nursery:
        if self.nursery is not None and self.nursery.process.poll() is None:
            return self.nursery
        if self.nursery is not None:
            self.nursery.end()
        self.nursery, self.is_warm = Nursery(Path(self.run.directory), self.shared), False
        return self.nursery

    def _answer(self, over: Over) -> tuple[TrainingFault, Decision]:
        """Name what ended a generation, and decide what is done about it."""
        fault = self._name(over)
        decision = decide(
            fault,
            earlier=[known for known in self.journal.faults if known.fault_id < fault.fault_id],
            restarts=spent_restarts(self.journal.marks),
            step_done=self.observer.step_done,
            policy=self.run.train.resilience,
            now=time.time(),
        )
        if fault.advised == "roll_back":
            self.shared.forget_memory()
        fault = replace(fault, located_at=time.time(), taken=decision.action)
        self.journal.revise(fault)
        self.journal.announce(fault, what_follows=decision.reason)
        return fault, decision

    def _name(self, over: Over) -> TrainingFault:
        """Say what happened: as the rank said itself that ended because of it, else by what is seen from outside."""
        told = {end.word.fault_id for end in over.ends if end.word is not None}
        known = next((fault for fault in self.journal.faults if fault.fault_id in told), None)
        if known is not None:
            return known
        fault = self._classify(over)
        return self.journal.report(replace(fault, detected_at=over.detected_at))

    def _classify(self, over: Over) -> TrainingFault:
        kernel, kills = self.witness.kernel_lines(), self._oom_kills()
        if (hung := over.hung) is not None:
            return classify_hang(
                self.run.run_id,
                hung.hang,
                stacks=hung.stacks,
                node=self.node,
                now=hung.at,
                monotonic=hung.at_s,
            )
        return classify_ends(
            self.run.run_id,
            over.ends,
            kernel=kernel,
            oom_kills=kills,
            node=self.node,
            catalogue=self.witness.catalogue,
            now=time.time(),
            accelerators=self.run.train.resources.gpus_per_node > 0,
        )

    def _oom_kills(self) -> int | None:
        """Return how many processes of this job's memory cgroup the kernel has killed since it was asked last."""
        before, self.oom_kills = self.oom_kills, count_oom_kills()
        return None if before is None or self.oom_kills is None else self.oom_kills - before

    def _pause(self, seconds: float) -> bool:
        """Wait; return whether nobody wished the end meanwhile."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self.wish.signal:
            time.sleep(TICK_S)
        return not self.wish.signal


def _exit_code(decision: Decision, over: Over) -> int:
    """Return the decision's own, but for a run that is given up because of what a rank refused: as the rank said."""
    refused = [end.exit_code for end in over.ends if end.word is not None and not end.word.retry]
    if decision.action == "give_up" and refused and refused[0] in REFUSALS:
        return refused[0]
    return decision.exit_code or GAVE_UP
