"""What is seen while all ranks are at work, turned into faults that stop nobody, and into a picture for who watches."""

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from l3_modeltools.resilience.clock import Jump
from l3_modeltools.resilience.heartbeat import Beat
from l3_modeltools.resilience.straggler import Straggler
from l3_modeltools.resilience.supervisor.journal import Journal
from l3_modeltools.runs import RankNow, RanksNow, save_ranks
from l3_modeltools.schemas import Evidence, Suspect, TrainingFault

__all__ = ["Onlooker", "describe_jump", "describe_straggler"]


class Onlooker:
    """Hears what the observer sees of the ranks of `run` on `node`."""

    def __init__(self, run: str, directory: Path, node: str, journal: Journal) -> None:
        self.run, self.directory, self.node, self.journal = run, directory, node, journal
        self.highest_step = 0
        """That any generation has done."""
        self._mended: TrainingFault | None = None

    def expect(self, because_of: TrainingFault | None) -> None:
        """Wait for the first step of a generation that was started because of a fault."""
        self._mended = because_of

    def stepped(self, step: int) -> None:
        """Note when the run went on after a fault, and what had to be done again."""
        if self._mended is not None:
            redone = max(0, self.highest_step - step + 1)
            self.journal.revise(replace(self._mended, resumed_at=time.time(), redone_steps=redone))
            self._mended = None

    def lagged(self, straggler: Straggler) -> None:
        """Report a rank that is slower than the others."""
        self._report(describe_straggler(straggler, run=self.run, node=self.node, now=time.time()))

    def jumped(self, jump: Jump) -> None:
        """Report that the clock of this node was set."""
        told = self._report(describe_jump(jump, run=self.run, node=self.node))
        self.journal.clock_set(jump, told)

    def looked(self, beats: Mapping[int, Beat], own_s: Mapping[int, float]) -> None:
        """Leave a picture of all ranks."""
        now_s = time.monotonic()
        ranks = tuple(
            RankNow(
                rank=rank,
                phase=beat.phase,
                step=beat.step,
                own_s=own_s.get(rank, 0.0),
                idle_s=max(0.0, now_s - beat.since_s),
            )
            for rank, beat in sorted(beats.items())
        )
        with contextlib.suppress(OSError):  # a disk without room does not matter more than the run
            save_ranks(self.directory, RanksNow(at=time.time(), ranks=ranks))

    def _report(self, fault: TrainingFault) -> TrainingFault:
        told = self.journal.report(fault)
        self.journal.announce(told)
        return told


def describe_straggler(straggler: Straggler, *, run: str, node: str, now: float) -> TrainingFault:
    """Turn a straggler into a fault of the run: it is told, and nothing is done."""
    evidence = (
        f"its own part of a step takes {straggler.own_s:.3f} s, that of the others {straggler.others_s:.3f} s,"
        f" {straggler.score:.0f} standard deviations less"
    )
    return TrainingFault(
        run=run,
        fault_class="straggler",
        summary=f"rank {straggler.rank} holds up the others: it takes {straggler.ratio:.1f} times as long",
        detected_at=now,
        located_at=now,
        step=straggler.step,
        section="forward_backward",
        suspects=(Suspect(rank=straggler.rank, node=node),),
        evidence=(Evidence(source="heartbeat", rank=straggler.rank, text=evidence),),
        advised="replace_node",
        taken="none",
    )


def describe_jump(jump: Jump, *, run: str, node: str) -> TrainingFault:
    """Turn a clock that was set into a fault of the run: what is told by time is wrong by so much."""
    text = f"the clock of {node} was set {abs(jump.seconds):.1f} s {'ahead' if jump.seconds > 0 else 'back'}"
    return TrainingFault(
        run=run,
        fault_class="clock_jump",
        summary=text,
        detected_at=jump.at,
        located_at=jump.at,
        suspects=(Suspect(node=node),),
        evidence=(Evidence(source="heartbeat", text=text),),
        advised="none",
        taken="none",
    )
