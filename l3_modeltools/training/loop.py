"""The steps of a run, one after the other: learn, look, tell, save."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.runs import Sample
from l3_modeltools.schemas import SkippedSteps, Train
from l3_modeltools.training.memory import peak_memory
from l3_modeltools.training.metrics import StepMetrics
from l3_modeltools.training.mfu import utilisation
from l3_modeltools.training.report import Listener
from l3_modeltools.training.schedule import learning_rate
from l3_modeltools.training.step import Stepper
from l3_modeltools.training.steps import Position, is_due, is_skipped, seed_of
from l3_modeltools.training.validate import Validator
from l3_modeltools.training.world import World

__all__ = ["Ended", "Loop", "Rates", "Save"]


class Save(Protocol):
    """Begins to save the state after `step`."""

    def __call__(self, *, step: int, tokens: int) -> None:
        """Take a copy of the state; the disk is waited for elsewhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """What turns tokens/s into MFU; None: not known."""

    flops_per_token: float | None
    peak: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How far a run came: all its steps, or to where it was told to stop."""

    step: int
    tokens: int
    stopped: bool = False
    loss: float | None = None
    validation_loss: float | None


@dataclass(frozen=True, kw_only=True)
class Loop:
    """Everything that a step needs. Each rank has one; the same decisions fall on all."""

    train: Train
    skipped: Sequence[SkippedSteps]
    seed: int
    steps: int
    world: World
    stepper: Stepper
    batches: Iterator[tuple[int, Sequence[Batch | PairBatch]]]
    """The micro batches of this rank for each step that is not left out, in order."""
    validator: Validator
    sample: Callable[[int], Iterator[Sample]]
    save: Save
    listeners: Sequence[Listener]
    rates: Rates
    wants_stop: Callable[[], bool]

    def run(self, begun: Position) -> Ended:
        """Go on from where it was to the end, or until a rank is told to stop; the state is saved either way."""
        told, stopped, tokens = None, False, begun.tokens
        for step in range(begun.step + 1, self.steps + 1):
            told, stopped = self._step(step, tokens)
            tokens = told.tokens
            for listener in self.listeners:
                listener.stepped(told)
            if told.validation_loss is not None:
                self._tell_samples(step)
            if stopped or is_due(self.train.checkpoint, step=step, steps=self.steps):
                self.save(step=step, tokens=tokens)
            if stopped:
                break
        if told is None:
            return Ended(step=begun.step, tokens=tokens, validation_loss=self.validator.loss())
        return Ended(
            step=told.step,
            tokens=tokens,
            stopped=stopped,
            loss=told.loss,
            validation_loss=told.validation_loss,
        )

    def _step(self, step: int, tokens: int) -> tuple[StepMetrics, bool]:
        """Take one step, or leave it out, after so many tokens; return what is told of it and whether to stop."""
        if is_skipped(self.skipped, step):
            return StepMetrics(
                step=step, at=time.time(), tokens=tokens, validation_loss=self._look(step)
            ), False
        began = time.perf_counter()
        rate = learning_rate(self.train.optimizer, step=step, steps=self.steps)
        torch.manual_seed(seed_of(self.seed, step=step, rank=self.world.rank))
        _, batches = next(self.batches)
        result = self.stepper.step(batches, rate=rate, stop=self.wants_stop)
        seconds = time.perf_counter() - began
        speed = result.tokens / seconds
        metrics = StepMetrics(
            step=step,
            at=time.time(),
            tokens=tokens + result.tokens,
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
            validation_loss=None if result.stop else self._look(step),
        )
        return metrics, result.stop

    def _look(self, step: int) -> float | None:
        due = step == self.steps or step % self.train.validation.every_steps == 0
        return self.validator.loss() if due else None

    def _tell_samples(self, step: int) -> None:
        for sample in self.sample(step):
            for listener in self.listeners:
                listener.sampled(sample)
