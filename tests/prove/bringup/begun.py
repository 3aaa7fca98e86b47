"""A bring-up that is watched, so that something can be done to it at a place that chance chose."""

import random
import re
import subprocess
import time
from dataclasses import dataclass, field
from threading import Thread

from tests.support.real_clusters import Answer, RealCluster

__all__ = ["Begun"]

STEPS = re.compile(r" (\d+) steps? to do")
LATER_S = 4.0


@dataclass
class Begun:
    """`ogai cluster up`, begun; its progress is read as it comes."""

    cluster: RealCluster
    words: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        words = ("cluster", "up", str(self.cluster.document), "--yes", "-o", "json", *self.words)
        self.process: subprocess.Popen[str] = self.cluster.start(*words)
        self.out: list[str] = []
        self.readers = [
            Thread(target=self._read_err, daemon=True),
            Thread(target=self._read_out, daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def await_place(self, rng: random.Random) -> str:
        """Wait for a place that chance chooses, and say which it was; it may have ended before."""
        share, later = rng.random(), rng.uniform(0.0, LATER_S)
        while self.process.poll() is None and not (self.steps() and self.done() >= share * self.steps()):
            time.sleep(0.05)
        time.sleep(later)
        return f"{self.done()} of {self.steps()} steps done"

    def steps(self) -> int:
        """Count the steps that it has to do; 0 until it said so."""
        found = [int(match[1]) for line in self.lines if (match := STEPS.search(line))]
        return found[0] if found else 0

    def done(self) -> int:
        """Count the steps that it did."""
        return sum(": done in " in line for line in self.lines)

    def end(self) -> Answer:
        """Wait for its end."""
        code = self.process.wait()
        for reader in self.readers:
            reader.join(10.0)
        return Answer(code=code, out="".join(self.out), err="".join(self.lines))

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        self.lines.extend(self.process.stderr)  # one by one, as they come

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        self.out.extend(self.process.stdout)
