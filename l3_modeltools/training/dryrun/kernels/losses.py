"""The loss of tokens whose logits, (tokens, part of the vocabulary), begin at token `start`."""

import torch
from torch import Tensor

from l3_modeltools.training.dryrun.kernels.define import define, nothing

__all__: list[str] = []


def _row_sums(logits: Tensor, labels: Tensor, start: int) -> tuple[Tensor, Tensor, Tensor]:
    values = logits.float()
    largest = values.amax(-1)
    place = (labels - start).clamp(0, logits.shape[-1] - 1)
    own = (labels >= start) & (labels < start + logits.shape[-1])
    label = values.gather(-1, place.unsqueeze(-1)).squeeze(-1) * own
    return largest, (values - largest.unsqueeze(-1)).exp().sum(-1), label


def _loss_gradient(logits: Tensor, labels: Tensor, sums: Tensor, outer: Tensor, start: int) -> Tensor:
    shares = (logits.float() - sums.unsqueeze(-1)).exp()
    place = (labels - start).clamp(0, logits.shape[-1] - 1)
    own = (labels >= start) & (labels < start + logits.shape[-1])
    shares.scatter_add_(-1, place.unsqueeze(-1), -own.unsqueeze(-1).float())
    return (shares * outer).to(logits.dtype)


def _loss_gradient_in_place(logits: Tensor, labels: Tensor, sums: Tensor, outer: Tensor, start: int) -> None:
    logits.copy_(_loss_gradient(logits, labels, sums, outer, start))


def _rows(logits: Tensor) -> Tensor:
    return logits.new_empty(logits.shape[0], dtype=torch.float32)


define(
    "row_sums(Tensor logits, Tensor labels, int start) -> (Tensor, Tensor, Tensor)",
    _row_sums,
    lambda logits, *_: (_rows(logits), _rows(logits), _rows(logits)),
)
define(
    "loss_gradient(Tensor logits, Tensor labels, Tensor sums, Tensor outer, int start) -> Tensor",
    _loss_gradient,
    lambda logits, *_: torch.empty_like(logits),
)
define(
    "loss_gradient_(Tensor(a!) logits, Tensor labels, Tensor sums, Tensor outer, int start) -> ()",
    _loss_gradient_in_place,
    nothing,
)
