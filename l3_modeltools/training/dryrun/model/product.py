"""Matrix products cut over the tensor-parallel group by columns or by rows (arXiv:1909.08053, section 3).

With sequence parallelism (arXiv:2205.05198, section 4.2.2) columns gather the tokens first and rows scatter their sums;
what was gathered is gathered again for the backward pass, unless the practice keeps it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal, cast

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.model.exchange import gathered, scattered, summed
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.weights import Weight

__all__ = ["Product"]

Cut = Literal["columns", "rows", "none"]


class Product(nn.Module):
    """Products of one operand with several matrices (out, in), of this rank's sizes."""

    def __init__(
        self,
        site: Site,
        width: int,
        outputs: Sequence[int],
        *,
        cut: Cut,
        bias: bool = False,
        keeps: bool = False,
    ) -> None:
        super().__init__()
        self.site = site
        self.cut = cut
        self.width = width
        self.keeps = keeps
        """Whether what is gathered is kept."""
        apart = cut == "none"
        self.weights = nn.ModuleList(Weight(size, width, whole=apart) for size in outputs)
        sizes = outputs if bias else ()
        self.biases = nn.ModuleList(Weight(size, whole=cut != "columns") for size in sizes)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        """Multiply (tokens, in), or the rank's slice of them, to one (tokens, out) for each matrix."""
        values = (weight.value for weight in (*self.weights, *self.biases))
        return cast(tuple[Tensor, ...], _Products.apply(x, self, *values))  # type: ignore[no-untyped-call]

    def whole(self, x: Tensor) -> Tensor:
        """The operand as the product reads it."""
        site = self.site
        return (
            gathered(x, site.rank.tensor, site.ledger) if self.cut == "columns" and site.rank.is_sliced else x
        )

    def multiply(self, whole: Tensor, at: int) -> Tensor:
        """One product, before its bias."""
        result = whole @ self._matrix(at).mT
        if self.cut != "rows":
            return result
        rank = self.site.rank
        return scattered(result, rank.tensor) if rank.is_sliced else summed(result, rank.tensor)

    def back(self, gradients: Sequence[Tensor]) -> Tensor:
        """The operand's gradient from those of the results."""
        along = gradients[0] @ self._matrix(0)
        for at, gradient in enumerate(gradients[1:], 1):
            along.addmm_(gradient, self._matrix(at))
        rank = self.site.rank
        if self.cut != "columns" or rank.tensor.is_alone:
            return along
        if rank.is_sliced:
            return scattered(along, rank.tensor)
        OPS.all_reduce_(along, rank.tensor.name, rank.tensor.ranks)
        return along

    def weigh(self, gradients: Sequence[Tensor], whole: Tensor) -> list[Tensor | None]:
        """Gradients of the matrices, or None where they went to their sums."""
        pairs = zip(self.weights, gradients, strict=True)
        return [cast(Weight, weight).accumulate(gradient, whole) for weight, gradient in pairs]

    def outer(self, gradients: Sequence[Tensor]) -> Sequence[Tensor]:
        """Gradients of the results as the product reads them: of all tokens."""
        rank = self.site.rank
        if self.cut != "rows" or not rank.is_sliced:
            return gradients
        return [gathered(one, rank.tensor, self.site.ledger) for one in gradients]

    def _matrix(self, at: int) -> Tensor:
        """A matrix in the products' format; a copy of it, where it lies in another, does not outlive the product."""
        return cast(Weight, self.weights[at]).value.detach().to(self.site.rank.compute)


class _Products(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, product: Product, *values: Tensor) -> tuple[Tensor, ...]:
        whole = product.whole(x)
        ctx.product = product  # type: ignore[attr-defined]
        ctx.save_for_backward(whole if product.keeps else x)
        results = tuple(product.multiply(whole, at) for at in range(len(product.weights)))
        for result, bias in zip(results, product.biases, strict=False):
            result.add_(cast(Weight, bias).value)
        return results

    @staticmethod
    def backward(ctx: FunctionCtx, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        product: Product = ctx.product  # type: ignore[attr-defined]
        site = product.site
        (operand,) = ctx.saved_tensors  # type: ignore[attr-defined]
        biases = [gradient.sum(0).to(site.rank.weights) for gradient in gradients[: len(product.biases)]]
        outer = product.outer(gradients)
        along = product.back(outer) if ctx.needs_input_grad[0] else None  # type: ignore[attr-defined]
        if site.deferred is not None:
            site.deferred.append(partial(_later, product, gradients, operand))
            return along, None, *(None for _ in product.weights), *biases
        whole = operand if product.keeps else product.whole(operand)
        return along, None, *product.weigh(outer, whole), *biases


def _later(product: Product, gradients: Sequence[Tensor], operand: Tensor) -> None:
    """Compute the gradients of the matrices when their turn comes."""
    product.weigh(product.outer(gradients), operand if product.keeps else product.whole(operand))
