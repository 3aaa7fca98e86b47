"""What breaks in a rank of a test: by torch's own hooks, at a place in a step."""

import os
import signal
import time
from dataclasses import dataclass
from typing import Literal

import torch
from torch.nn.modules.module import register_module_forward_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from l3_modeltools.training.seat import Seat

__all__ = ["Break", "prepare"]


@dataclass(frozen=True, kw_only=True)
class Break:
    """What happens on a rank in a step, `times` times at most: within the module of a class, or the optimizer."""

    rank: int
    step: int
    what: Literal["kill", "raise", "nan", "spike", "sleep"]
    module: str = "LlamaMLP"
    """Class of the module after whose forward pass; `before optimizer`, `after optimizer`: about its step."""
    times: int = 1
    last_step: int = 0
    """Up to which step it goes on happening; 0: only in `step`."""


class Happening:
    """Lets it happen."""

    def __init__(self, one: Break, seat: Seat) -> None:
        self.one, self.seat, self.left = one, seat, one.times

    def __call__(self, *words: object) -> object:
        step, one = self.seat.heart.step, self.one
        if not (self.left and one.step <= step <= (one.last_step or one.step)):
            return None
        if self.seat.heart.phase in ("setup", "validate"):
            return None
        self.left -= 1
        return self.happen(words[-1])

    def after_module(self, module: torch.nn.Module, inputs: object, output: object) -> object:
        return self(output) if type(module).__name__ == self.one.module else None

    def happen(self, output: object) -> object:
        if self.one.what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.one.what == "raise":
            raise ValueError("a defect")
        if self.one.what == "sleep":
            time.sleep(3)
            return None
        assert isinstance(output, torch.Tensor)
        return output * (float("nan") if self.one.what == "nan" else 40.0)


def prepare(one: Break, seat: Seat) -> None:
    """Hook it into torch, in the process of the rank."""
    happening = Happening(one, seat)
    if one.module == "before optimizer":
        register_optimizer_step_pre_hook(lambda *words: happening(None))  # type: ignore[arg-type]
    elif one.module == "after optimizer":
        register_optimizer_step_post_hook(lambda *words: happening(None))  # type: ignore[arg-type]
    else:
        register_module_forward_hook(happening.after_module)
