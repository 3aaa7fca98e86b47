"""A layer that predicts one token further (arXiv:2412.19437, section 2.2)."""

from typing import cast

import torch
from torch import Tensor, nn

from l3_modeltools.training.dryrun.model.ends import Embedding, Output
from l3_modeltools.training.dryrun.model.exchange import gather
from l3_modeltools.training.dryrun.model.layer import Layer
from l3_modeltools.training.dryrun.model.norm import Norm
from l3_modeltools.training.dryrun.model.product import Product
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.way import Way

__all__ = ["Further"]


class Further(nn.Module):
    """Joins the stream with the embedding of the next token, sends both through a layer; its output is the model's."""

    def __init__(self, site: Site, way: Way) -> None:
        super().__init__()
        self.site = site
        hidden, tensor = site.rank.hidden, site.rank.tensor
        self.norms = nn.ModuleList(Norm(site, hidden) for _ in range(3))
        self.join = Product(
            site, 2 * hidden, (hidden // tensor.ranks,), cut="columns", keeps=way.keeps_gathered
        )
        self.layer = Layer(site, way, sparse=site.rank.architecture.experts is not None)

    def forward(
        self, x: Tensor, tokens: Tensor, labels: Tensor, *, embedding: Embedding, output: Output
    ) -> tuple[Tensor, Tensor]:
        """The stream after the layer, and the summed loss of what it predicts."""
        rank = self.site.rank
        both = torch.cat((self.norms[0](embedding.looked_up(tokens).to(rank.stream)), self.norms[1](x)), -1)
        joined = self._rows(cast(Tensor, self.join(both)[0])).to(rank.stream)
        x = self.layer(joined)
        return x, output.loss(self.norms[2](x), labels)

    def _rows(self, part: Tensor) -> Tensor:
        """Columns that were cut over the group, side by side again, of this rank's slice of the tokens."""
        rank = self.site.rank
        if rank.tensor.is_alone:
            return part
        whole = gather(part.mT, rank.tensor, self.site.ledger).mT
        if not rank.is_sliced:
            return whole / rank.tensor.ranks * rank.tensor.ranks
        begin = self.site.tensor_rank * rank.slice
        return whole[begin : begin + rank.slice]
