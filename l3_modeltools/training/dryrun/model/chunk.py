"""The layers of one virtual stage, with the ends of the model where it has them."""

from typing import cast

from torch import Tensor, nn

from l3_modeltools.architectures import pieces
from l3_modeltools.training.dryrun.model.ends import Embedding, Output
from l3_modeltools.training.dryrun.model.exchange import receive, send
from l3_modeltools.training.dryrun.model.further import Further
from l3_modeltools.training.dryrun.model.layer import Layer
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.way import ways_of

__all__ = ["Chunk"]


class Chunk(nn.Module):
    """One virtual stage of a pipeline stage."""

    def __init__(self, site: Site, *, chunk: int, stage: int) -> None:
        super().__init__()
        self.site = site
        rank, table = site.rank, site.rank.setting.stages
        first = sum(map(sum, table[:chunk])) + sum(table[chunk][:stage])
        architecture, ways = rank.architecture, ways_of(rank.setting, chunk=chunk, stage=stage)
        dense, usual = pieces.dense_layers(architecture), architecture.num_hidden_layers
        places = range(first, first + len(ways))
        self.is_first = first == 0
        self.is_last = first + len(ways) == architecture.layers
        further = [way for at, way in zip(places, ways, strict=True) if at >= usual]
        tied = architecture.tie_word_embeddings and self.is_last
        self.embedding = Embedding(site) if self.is_first or tied or further else None
        if self.embedding is not None and not self.is_first:
            self.embedding.places = self.embedding.norm = None
        self.layers = nn.ModuleList(
            Layer(site, way, sparse=at >= dense) for at, way in zip(places, ways, strict=True) if at < usual
        )
        shared = (
            self.embedding.table if self.embedding is not None and architecture.tie_word_embeddings else None
        )
        self.output = Output(site, shared) if self.is_last else None
        self.further = nn.ModuleList(Further(site, way) for way in further)

    def forward(self, tokens: Tensor, labels: Tensor) -> Tensor:
        """The summed loss of a micro batch, or an empty tensor after its result was sent to the next stage."""
        x = self._start(tokens)
        for layer in self.layers:
            x = self.site.run(layer, x)
        if self.output is not None:
            return self._end(x, tokens, labels)
        return send(x, self.site.ledger, keeps=self.site.rank.practice.kept.stage_buffers)

    def _start(self, tokens: Tensor) -> Tensor:
        rank = self.site.rank
        if self.is_first and self.embedding is not None:
            return cast(Tensor, self.embedding(tokens))
        return receive(self.site.anchor, (rank.slice, rank.hidden), rank.stream)

    def _end(self, x: Tensor, tokens: Tensor, labels: Tensor) -> Tensor:
        output = cast(Output, self.output)
        loss = cast(Tensor, output(x, labels))
        for further in self.further:
            x, more = further(x, tokens, labels, embedding=self.embedding, output=output)
            loss = loss + more
        return loss
