"""How far the weights of this rank are, so that they can be left behind whole at any moment."""

from dataclasses import dataclass, field

from l3_modeltools.checkpoint import MemoryCopies
from l3_modeltools.training.guard import Skips
from l3_modeltools.training.metrics import StepMetrics
from l3_modeltools.training.step import Stepper
from l3_modeltools.training.steps import Position

__all__ = ["Live"]


@dataclass(kw_only=True)
class Live:
    """The state of a rank as it is now: whole, but for the moment of an update."""

    copies: MemoryCopies
    stepper: Stepper
    skips: Skips
    position: Position
    told: StepMetrics | None = field(default=None)
    """Of the last step that was done by this process."""

    def done(self, told: StepMetrics) -> None:
        """Take note that a step is done; call it as soon as its update is."""
        self.position = Position(step=told.step, tokens=told.tokens)
        self.told = told

    def copy(self) -> float | None:
        """Copy the state in memory; return the seconds it took, None where there can be no copy."""
        numbers = self.told or StepMetrics(step=0, at=0.0, tokens=0)
        return self.copies.keep(
            step=self.position.step,
            tokens=self.position.tokens,
            skipped=self.skips.parts,
            loss=numbers.loss,
            grad_norm=numbers.grad_norm,
            learning_rate=numbers.learning_rate,
        )

    def leave_behind(self) -> int | None:
        """Copy the state because this process ends; return its step, None where it is not whole or not kept."""
        if self.stepper.is_updating or self.copy() is None:
            return None
        return self.position.step
