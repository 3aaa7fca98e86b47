"""Where a run goes on from: the newest whole state, in memory or on the disk, and what is still owed of its step."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from torch import nn
from torch.optim import Optimizer

from l3_modeltools.checkpoint import (
    Found,
    Kept,
    MemoryCopies,
    Saver,
    Shelf,
    load_state,
    restore_state,
    training_state,
)
from l3_modeltools.runs import Source
from l3_modeltools.schemas import Checkpoint, Checkpointing, Evidence, SkippedSteps
from l3_modeltools.training.history import recent_steps
from l3_modeltools.training.logbook import Logbook, Noted
from l3_modeltools.training.metrics import StepMetrics
from l3_modeltools.training.steps import Position
from l3_modeltools.training.world import World

__all__ = ["Begun", "LearnerState"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Begun:
    """Where a run goes on from; the same on all ranks."""

    position: Position
    source: Source = "nothing"
    last: StepMetrics | None = None
    """Of the step the state is after; None where nothing was told of it."""
    owes_line: bool = False
    """Whether `metrics.jsonl` lacks what is to be told of that step."""
    is_saved: bool = False
    """Whether a checkpoint of that step is on the disk."""
    recent: tuple[StepMetrics, ...] = ()
    """Of the newest steps before, oldest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """What the chief chose: memory, of some rank, or a checkpoint, or nothing."""

    position: Position
    kept: Kept | None = None
    from_rank: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LearnerState:
    """What is saved of a run: model and optimizer. All else of a step follows from its number."""

    directory: Path
    shelf: Shelf
    run: str
    architecture_sha256: str
    keep: Checkpointing
    model: nn.Module
    optimizer: Optimizer
    before_write: Callable[[], None]
    """Called before each write to the disk; raises OSError where one is to fail."""

    def load(
        self, *, world: World, copies: MemoryCopies, skipped: Sequence[SkippedSteps], logbook: Logbook
    ) -> Begun:
        """Load the newest state that is whole and this run's, from memory or from the disk; step 0 where there is none.

        The chief chooses. Of checkpoints it has read every byte, and it says and reports which it passed over and why.
        """
        choice = world.told_by_chief(
            self._choose(copies, skipped, logbook) if world.is_chief else Choice(position=Position())
        )
        step = choice.position.step
        if choice.kept is not None:
            copies.load(step=step, source=choice.from_rank)
            logbook.say(f"goes on after step {step}, from memory")
        elif step:
            state = training_state(self.model, self.optimizer)
            load_state(self.shelf.place(step), state, architecture_sha256=self.architecture_sha256)
            restore_state(self.model, self.optimizer, state)
            logbook.say(f"resumes after step {step}")
        return world.told_by_chief(self._begun(choice) if world.is_chief else Begun(position=choice.position))

    @contextmanager
    def saving(self, on_saved: Callable[[int, float], None]) -> Iterator[Saver]:
        """Yield what saves, for as long as the context lasts.

        `on_saved` hears, on the first rank, of each step that is safe and for how many seconds that held the loop up.
        """

        def tell(manifest: Checkpoint) -> None:
            on_saved(manifest.step, saver.blocked.seconds)

        saver = Saver(
            self.shelf,
            run=self.run,
            architecture_sha256=self.architecture_sha256,
            keep=self.keep,
            on_saved=tell,
            before_write=self.before_write,
        )
        with saver:
            yield saver

    def values(self) -> dict[str, object]:
        """Return the state as it is now; it refers to the tensors themselves."""
        return training_state(self.model, self.optimizer)

    def _choose(self, copies: MemoryCopies, skipped: Sequence[SkippedSteps], logbook: Logbook) -> Choice:
        from_rank, kept = copies.newest(skipped) or (0, None)
        least = kept.step if kept else 0
        if not kept or any(found.step > least for found in self.shelf.found()):
            chosen, passed_over = self.shelf.newest_valid(
                run=self.run, architecture_sha256=self.architecture_sha256
            )
            self._tell_passed_over(passed_over, logbook)
            if chosen and chosen.manifest and chosen.step > least:
                return Choice(position=Position(step=chosen.step, tokens=chosen.manifest.tokens))
        if kept is None:
            return Choice(position=Position())
        return Choice(position=Position(step=kept.step, tokens=kept.tokens), kept=kept, from_rank=from_rank)

    def _begun(self, choice: Choice) -> Begun:
        """Look what was told of the step already."""
        step, kept = choice.position.step, choice.kept
        recent = recent_steps(self.directory, until=step)
        told = [metrics for metrics in recent if metrics.step == step]
        if kept is None:
            return Begun(
                position=choice.position,
                source="checkpoint" if step else "nothing",
                last=told[0] if told else None,
                is_saved=True,
                recent=recent,
            )
        last = StepMetrics(
            step=step,
            at=time.time(),
            monotonic_s=time.monotonic(),
            tokens=kept.tokens,
            loss=kept.loss,
            learning_rate=kept.learning_rate,
            grad_norm=kept.grad_norm,
        )
        return Begun(
            position=choice.position,
            source="memory",
            last=told[0] if told else last,
            owes_line=not told,
            is_saved=self.shelf.place(step).exists(),
            recent=recent if told else (*recent, last),
        )

    def _tell_passed_over(self, passed_over: Sequence[Found], logbook: Logbook) -> None:
        """Say which checkpoints were passed over; report the damaged ones of this run, each once for good."""
        reported = {
            evidence.text
            for fault in logbook.earlier()
            if fault.fault_class == "checkpoint_damaged"
            for evidence in fault.evidence
        }
        for found in passed_over:
            text = f"{found.directory.name}: {found.fault}"
            logbook.say(f"passed over {text}")
            if self._is_damaged(found) and text not in reported:
                logbook.report(
                    Noted(
                        fault_class="checkpoint_damaged",
                        summary=f"the checkpoint of step {found.step} is damaged: {found.fault}",
                        evidence=[Evidence(source="file", text=text)],
                        advised="roll_back",
                        taken="roll_back",
                    )
                )

    def _is_damaged(self, found: Found) -> bool:
        """Tell damage from what a kill left half-written, and from what is another run's."""
        manifest = found.manifest
        ours = manifest is None or (manifest.run, manifest.architecture_sha256) == (
            self.run,
            self.architecture_sha256,
        )
        return found.state == "damaged" and ours
