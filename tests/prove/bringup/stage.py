"""A cluster under proof: what is done to it and checked of it, whatever the part of the proof."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from drills.ledger import Ledger
from tests.support.labs import leavings
from tests.support.real_clusters import Answer, RealCluster

__all__ = ["Stage", "hold_all", "kill_tree", "on_lab", "until"]

PATIENCE_S = 180.0
BROKEN_OFF = (AssertionError, LookupError, OSError, ValueError)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One cluster, what chance says, and what is noted."""

    cluster: RealCluster
    rng: random.Random
    ledger: Ledger

    def tell(self, text: str) -> None:
        """Say what is going on, for who waits."""
        print(f"   {time.strftime('%T')} {self.cluster.name}: {text}", flush=True)

    def expect(self, what: str, answer: Answer, *codes: int) -> Answer:
        """Check that a command ended with one of these exit codes."""
        words = (answer.err.strip() or answer.out.strip())[-600:]
        self.ledger.check(what, [] if answer.code in codes else [f"exit code {answer.code}: {words}"])
        self.tell(f"{what}: exit code {answer.code}")
        return answer

    def act(self, what: str, part: Callable[["Stage"], None]) -> None:
        """Do a part of the proof; one that breaks off, for an answer was none, is a violation and not the end."""
        self.tell(what)
        try:
            part(self)
            self.check("a part is done to its end")
        except BROKEN_OFF as error:
            self.check("a part is done to its end", f"{what}: {type(error).__name__}: {str(error)[:600]}")

    def check(self, what: str, *found: str) -> None:
        """Check that nothing was found wrong."""
        self.ledger.check(what, [f"{self.cluster.name}: {text}" for text in found])
        for text in found:
            self.tell(f"VIOLATED {what}: {text}")


@contextmanager
def on_lab(name: str, nodes: int, *, rng: random.Random, ledger: Ledger, evidence: Path) -> Iterator[Stage]:
    """Have a lab of bare hosts for a block, and check that nothing of it is left."""
    cluster = RealCluster(name=f"t-prove-{name}-{os.getpid()}", home=evidence / f"cluster-{name}")
    stage = Stage(cluster=cluster, rng=rng, ledger=ledger)
    try:
        stage.expect("a lab comes up", cluster.lab_up(nodes), 0)
        ledger.done["labs"] += 1
        yield stage
    finally:
        lab_id = cluster.lab_id if cluster.lab_file.exists() else None
        stage.expect("a lab is taken down", cluster.ogai("lab", "down", cluster.name), 0)
        stage.check("a lab leaves nothing", *leavings(cluster.home, lab_id))


def hold_all(stage: Stage) -> None:
    """Check what must hold in the end: nothing left to do, nothing deviates, all nodes idle."""
    again = stage.expect("with nothing to do a run ends well", stage.cluster.again(), 0)
    if again.code == 0:
        stage.check(
            "with nothing to do nothing is started", *([again.json["run"]] if again.json["run"] else [])
        )
    deviations = stage.cluster.cluster("diff").json["deviations"]
    stage.check("nothing deviates", *(f"{one['node']} {one['name']}: {one['reason']}" for one in deviations))
    idle = until(stage.cluster.idle)
    stage.check("all nodes are idle in the end", *([] if idle else [str(stage.cluster.slurm_states())]))


def until(holds: Callable[[], bool], *, limit_s: float = PATIENCE_S) -> bool:
    """Wait until something holds; return whether it came so."""
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(2.0)
    return True


def kill_tree(pid: int) -> int:
    """Kill a process and all that it started, also those in sessions of their own; return how many."""
    victims = [pid, *_below(pid)]
    for victim in victims:
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
    return len(victims)


def _below(pid: int) -> Sequence[int]:
    children: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(file.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(file.parent.name))
    found, todo = [], [pid]
    while todo:
        own = children.get(todo.pop(), [])
        found += own
        todo += own
    return found
