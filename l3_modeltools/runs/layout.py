"""Names of everything in a run's directory (drawn in ARCHITECTURE.md)."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["RunLayout"]


@dataclass(frozen=True, slots=True)
class RunLayout:
    """A run's directory."""

    root: Path

    @property
    def document(self) -> Path:
        return self.root / "run.json"

    @property
    def lock(self) -> Path:
        return self.root / ".run.lock"

    @property
    def queue_lock(self) -> Path:
        return self.root / ".queue.lock"

    @property
    def metrics(self) -> Path:
        return self.root / "metrics.jsonl"

    @property
    def faults(self) -> Path:
        """`fault` documents, one a line; of lines with the same `fault_id` the last counts."""
        return self.root / "faults.jsonl"

    @property
    def timeline(self) -> Path:
        """What happened when, one `Mark` a line."""
        return self.root / "timeline.jsonl"

    @property
    def drills(self) -> Path:
        """What is to be broken on purpose, one order a line; absent where nothing is."""
        return self.root / "drills.jsonl"

    @property
    def drills_fired(self) -> Path:
        """Which of these orders were carried out, when and by which rank, one `Fired` a line."""
        return self.root / "drills-fired.jsonl"

    @property
    def ranks(self) -> Path:
        """How far each rank is, written anew every few seconds; absent where nobody supervises."""
        return self.root / "ranks.json"

    @property
    def samples(self) -> Path:
        return self.root / "samples.jsonl"

    @property
    def tensorboard(self) -> Path:
        return self.root / "tensorboard"

    @property
    def checkpoints(self) -> Path:
        return self.root / "checkpoints"

    @property
    def outcome(self) -> Path:
        return self.root / "outcome.json"

    @property
    def compiled(self) -> Path:
        """What torch.compile made, kept over restarts."""
        return self.root / "cache"
