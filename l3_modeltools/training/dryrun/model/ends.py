"""The ends of a model: the embedding of tokens and places, and the output with its loss."""

from typing import cast

from torch import Tensor, nn
from torch.nn import functional

from l3_modeltools.training.dryrun.model.exchange import reduce
from l3_modeltools.training.dryrun.model.layer import dropped
from l3_modeltools.training.dryrun.model.loss import loss_of
from l3_modeltools.training.dryrun.model.norm import Norm
from l3_modeltools.training.dryrun.model.product import Product
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.weights import Weight

__all__ = ["Embedding", "Output"]


class Embedding(nn.Module):
    """Rows of tokens, of which each rank of the tensor-parallel group has its part, and of places, which all have."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site
        rank = site.rank
        self.table = Weight(rank.vocabulary, rank.hidden)
        self.places = (
            Weight(rank.learned_positions, rank.hidden, whole=True) if rank.learned_positions else None
        )
        self.norm = Norm(site, rank.hidden) if rank.architecture.embedding_norm else None

    def forward(self, tokens: Tensor) -> Tensor:
        """Token ids (tokens,) to the residual stream, (slice of them, hidden)."""
        rank = self.site.rank
        x = self.looked_up(tokens)
        if self.places is not None:
            x = x + functional.embedding(self._places(), self.places.value).to(rank.compute)
        if self.norm is not None:
            x = self.norm(x)
        return dropped(x.to(rank.stream), self.site)

    def looked_up(self, tokens: Tensor) -> Tensor:
        """Rows of the tokens in the products' format; what another rank has is zeros until it is summed up."""
        rank, table = self.site.rank, self.table.value
        if rank.tensor.is_alone:
            return functional.embedding(tokens, table).to(rank.compute)
        place = tokens - self.site.start
        other = (place < 0) | (place >= rank.vocabulary)
        rows = functional.embedding(place.masked_fill(other, 0), table).to(rank.compute)
        rows = rows.masked_fill(other.unsqueeze(-1), 0.0)
        return reduce(rows, rank.tensor, self.site.ledger, sliced=rank.is_sliced)

    def _places(self) -> Tensor:
        """Rows of the table of places for the tokens of this slice."""
        rank, positions = self.site.rank, self.site.tables.places
        places = positions.repeat_interleave(rank.batch)
        if rank.is_sliced:
            begin = self.site.tensor_rank * rank.slice
            places = places[begin : begin + rank.slice]
        return places + (rank.learned_positions - rank.architecture.max_position_embeddings)


class Output(nn.Module):
    """The last norm, and logits whose rows are cut over the tensor-parallel group as the embedding's."""

    def __init__(self, site: Site, tied: Weight | None) -> None:
        super().__init__()
        self.site = site
        rank = site.rank
        self.norm = Norm(site, rank.hidden)
        self.product = Product(
            site, rank.hidden, (rank.vocabulary,), cut="columns", keeps=rank.practice.kept.gathered
        )
        if tied is not None:
            self.product.weights[0] = tied

    def forward(self, x: Tensor, labels: Tensor) -> Tensor:
        """The summed loss of (slice of the tokens, hidden)."""
        return self.loss(self.norm(x), labels)

    def loss(self, x: Tensor, labels: Tensor) -> Tensor:
        """The summed loss of what is normalised already."""
        with self.site.ledger.purpose("logits"):
            logits = cast(Tensor, self.product(x)[0])
            if self._is_held:
                self.site.outputs.append(logits)
            return loss_of(logits, labels, self.site)

    @property
    def _is_held(self) -> bool:
        """Whether others have the logits too: pipelining, or who called the model and makes the loss apart."""
        practice, degrees = self.site.rank.practice, self.site.rank.setting.strategy.degrees
        apart = not practice.fused_loss and not practice.kept.logits_in_place
        return apart or (practice.kept.stage_buffers and degrees.pp > 1)
