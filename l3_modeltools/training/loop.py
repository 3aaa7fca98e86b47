"""The steps of a run, one after the other: learn, look, tell, save."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import msgspec
import torch

from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.resilience import Heart
from l3_modeltools.runs import Sample
from l3_modeltools.schemas import Train
from l3_modeltools.training.guard import Guard
from l3_modeltools.training.live import Live
from l3_modeltools.training.locate import Origin, locate
from l3_modeltools.training.logbook import Logbook
from l3_modeltools.training.memory import peak_memory
from l3_modeltools.training.metrics import StepMetrics
from l3_modeltools.training.mfu import utilisation
from l3_modeltools.training.pace import Pace
from l3_modeltools.training.report import RunListener
from l3_modeltools.training.schedule import learning_rate
from l3_modeltools.training.stalls import Stalls
from l3_modeltools.training.state import Begun
from l3_modeltools.training.step import NOTHING, Proposal, Stepper, Wishes
from l3_modeltools.training.steps import is_due, is_skipped, seed_of
from l3_modeltools.training.validate import Validator
from l3_modeltools.training.world import World

__all__ = ["Batches", "Ended", "Loop", "Rates", "Save"]

Batches = Iterator[tuple[int, Sequence[Batch | PairBatch]]]
"""The micro batches of a rank for each step that is not left out, in order."""


class Save(Protocol):
    """Saves the state of all ranks, in the background."""

    @property
    def has_failed(self) -> bool:
        """Whether a save failed in the background, so that one should be begun again soon."""

    def save(self, *, step: int, tokens: int) -> bool:
        """Take a copy of the state after `step`; False: a wish to stop came while the disk did not take it."""

    def finish(self, *, step: int, tokens: int) -> bool:
        """Wait until what was saved last is safe; where it failed, save the state after `step` instead."""

    def look(self) -> None:
        """Tell of a save that takes too long."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """What turns tokens/s into MFU; None: not known."""

    flops_per_token: float | None
    peak: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How far a run came: all its steps, or to where it was told to stop, or has to go back."""

    step: int
    tokens: int
    stopped: bool = False
    rolled_back: bool = False
    """The newest checkpoint is to be gone on from; memory copies no longer count."""
    loss: float | None = None
    validation_loss: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StepEnd:
    """A step that was done or left out, and what the ranks agreed on for its end."""

    metrics: StepMetrics | None
    """None: it was not, and the run has to go back, or stops before it."""
    agreed: Wishes = NOTHING
    rolls_back: bool = False


@dataclass(frozen=True, kw_only=True)
class Loop:
    """Everything that a step needs. Each rank has one; the same decisions fall on all."""

    train: Train
    seed: int
    steps: int
    world: World
    stepper: Stepper
    guard: Guard
    batches: Batches
    validator: Validator
    sample: Callable[[int], Iterator[Sample]]
    save: Save
    live: Live
    pace: Pace
    stalls: Stalls
    listeners: Sequence[RunListener]
    rates: Rates
    heart: Heart
    logbook: Logbook
    wants_stop: Callable[[], bool]

    def run(self, begun: Begun) -> Ended:
        """Go on from where it was to the end, or until a rank is told to stop; the state is saved either way."""
        self.logbook.mark("ready", step=begun.position.step, source=begun.source)
        first, told, saved = begun.position.step, begun.last, True
        if told and (begun.owes_line or self._owes_validation(told)):
            told = self._conclude(told)
        if not begun.is_saved and is_due(self.train.checkpoint, step=first, steps=self.steps):
            saved = self._save()
        stopped = not saved
        for step in range(first + 1, self.steps + 1):
            if stopped:
                break
            taken = self._step(step)
            if taken.rolls_back:
                return self._ended(None, rolled_back=True)
            stopped = taken.agreed.stop or taken.metrics is None
            if taken.metrics is not None:
                told = self._conclude(taken.metrics, validates=not stopped)
            if stopped or taken.agreed.save or is_due(self.train.checkpoint, step=step, steps=self.steps):
                saved = self._save()
                stopped = stopped or not saved
        if saved:
            done = self.live.position
            stopped = not self.save.finish(step=done.step, tokens=done.tokens) or stopped
        if told is None and not stopped:
            told = StepMetrics(step=0, at=0.0, tokens=0, validation_loss=self.validator.loss())
        return self._ended(told, stopped=stopped)

    def _ended(self, told: StepMetrics | None, *, stopped: bool = False, rolled_back: bool = False) -> Ended:
        return Ended(
            step=self.live.position.step,
            tokens=self.live.position.tokens,
            stopped=stopped,
            rolled_back=rolled_back,
            loss=told.loss if told else None,
            validation_loss=told.validation_loss if told else None,
        )

    def _step(self, step: int) -> StepEnd:
        """Take one step, or leave it out."""
        if is_skipped(self.guard.skips.parts, step):
            return self._left_out(step, NOTHING)
        began = time.perf_counter()
        self.heart.enter("data", step)
        _, batches = next(self.batches)
        waited = time.perf_counter() - began
        compute = partial(self._compute, step, batches, self._wishes(waited))
        origin = partial(self._locate, step, batches)
        proposal, fate = self.guard.settle(step, compute, origin)
        agreed = proposal.result.agreed
        self.stalls.settle(waited, is_one=agreed.look)
        if fate != "take":
            self.stepper.leave_out()
        if fate in ("roll_back", "stop"):
            return StepEnd(metrics=None, agreed=agreed, rolls_back=fate == "roll_back")
        if fate == "leave_out":
            return self._left_out(step, agreed)
        rate = self._rate(step)
        self.stepper.update(proposal, rate=rate)
        metrics = self._metrics(step, proposal, rate, time.perf_counter() - began)
        self.live.done(metrics)
        self.pace.stepped(metrics.step_s or 0.0)
        self.stalls.stepped(metrics.step_s or 0.0)
        if agreed.copy and (self.world.is_chief or self.stepper.model.is_sharded):
            self._copy()
        return StepEnd(metrics=metrics, agreed=agreed)

    def _left_out(self, step: int, agreed: Wishes) -> StepEnd:
        metrics = StepMetrics(
            step=step, at=time.time(), monotonic_s=time.monotonic(), tokens=self.live.position.tokens
        )
        self.live.done(metrics)
        return StepEnd(metrics=metrics, agreed=agreed)

    def _wishes(self, waited: float) -> Wishes:
        """Wish what is due on this rank; for saves and copies the chief decides."""
        chief = self.world.is_chief
        return Wishes(
            stop=self.wants_stop(),
            save=chief and (self.save.has_failed or self.pace.is_save_due),
            copy=chief and self.pace.copies.is_due,
            look=self.stalls.is_stall(waited),
        )

    def _compute(self, step: int, batches: Sequence[Batch | PairBatch], wishes: Wishes) -> Proposal:
        torch.manual_seed(seed_of(self.seed, step=step, rank=self.world.rank))
        return self.stepper.propose(batches, wishes)

    def _locate(self, step: int, batches: Sequence[Batch | PairBatch]) -> Origin | None:
        torch.manual_seed(seed_of(self.seed, step=step, rank=self.world.rank))
        self.stepper.leave_out()
        return locate(self.stepper.model, self.stepper.objective, batches)

    def _rate(self, step: int) -> float:
        return learning_rate(self.train.optimizer, step=step, steps=self.steps)

    def _metrics(self, step: int, proposal: Proposal, rate: float, seconds: float) -> StepMetrics:
        result = proposal.result
        speed = result.tokens / seconds
        return StepMetrics(
            step=step,
            at=time.time(),
            monotonic_s=time.monotonic(),
            tokens=self.live.position.tokens + result.tokens,
            loss=result.loss,
            learning_rate=rate,
            grad_norm=result.grad_norm,
            tokens_per_s=speed,
            step_s=seconds,
            memory_bytes=peak_memory(self.world.device),
            mfu=utilisation(
                speed,
                flops_per_token=self.rates.flops_per_token,
                peak=self.rates.peak,
                ranks=self.world.size,
            ),
        )

    def _copy(self) -> None:
        """Copy the state in memory; where that cannot be, say why, once."""
        self.heart.enter("save", self.live.position.step)
        seconds = self.live.copy()
        self.pace.copies.copied(seconds)
        if seconds is None and self.live.copies.refusal:
            self.logbook.say(self.live.copies.refusal)

    def _conclude(self, metrics: StepMetrics, *, validates: bool = True) -> StepMetrics:
        """Look at what a step led to, if that is due, and tell of it."""
        step, began = metrics.step, time.perf_counter()
        due = validates and self._is_validated(step)
        if due:
            self.heart.enter("validate", step)
            metrics = msgspec.structs.replace(metrics, validation_loss=self.validator.loss())
        for listener in self.listeners:
            listener.stepped(metrics)
        if metrics.validation_loss is not None:
            self._tell_samples(step)
        if due:
            self.logbook.mark("validated", step=step, seconds=time.perf_counter() - began)
        self.save.look()
        return metrics

    def _is_validated(self, step: int) -> bool:
        return step == self.steps or step % self.train.validation.every_steps == 0

    def _owes_validation(self, told: StepMetrics) -> bool:
        """Say whether a step was told without its validation: a wish to end came first."""
        return told.validation_loss is None and self._is_validated(told.step)

    def _save(self) -> bool:
        began = time.perf_counter()
        saved = self.save.save(step=self.live.position.step, tokens=self.live.position.tokens)
        self.pace.saved(time.perf_counter() - began)
        return saved

    def _tell_samples(self, step: int) -> None:
        for sample in self.sample(step):
            for listener in self.listeners:
                listener.sampled(sample)
