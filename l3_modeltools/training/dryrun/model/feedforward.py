"""The dense feed-forward part of a layer, and experts that every token goes through."""

from functools import partial
from typing import cast

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from l3_modeltools.training.dryrun.model.activation import activated
from l3_modeltools.training.dryrun.model.product import Product
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.way import Way

__all__ = ["FeedForward"]


class FeedForward(nn.Module):
    """Two products with an activation function between, gated or not; `width` is that of the whole group."""

    def __init__(self, site: Site, width: int, way: Way) -> None:
        super().__init__()
        self.site, self.way = site, way
        rank, mlp = site.rank, site.rank.architecture.mlp
        inner = width // rank.tensor.ranks
        self.inputs = Product(
            site,
            rank.hidden,
            (inner,) * (2 if mlp.gated else 1),
            cut="columns",
            bias=mlp.mlp_bias,
            keeps=way.keeps_gathered,
        )
        self.output = Product(site, inner, (rank.hidden,), cut="rows", bias=mlp.mlp_bias)

    def forward(self, x: Tensor) -> Tensor:
        """(tokens or a slice of them, hidden) to the same."""
        wide = self.inputs(x)
        if not self.way.recomputes_activation:
            return self._narrow(*wide)
        narrow = self.site.again(partial(self._narrow))
        return cast(Tensor, checkpoint(narrow, *wide, use_reentrant=False, preserve_rng_state=False))

    def _narrow(self, x: Tensor, gate: Tensor | None = None) -> Tensor:
        return cast(Tensor, self.output(activated(self.site.rank, x, gate))[0])
