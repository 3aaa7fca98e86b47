"""A rank of a pipeline stage with all it holds, and the passes it makes."""

from collections import deque
from functools import partial
from itertools import chain
from typing import cast

import torch
from torch import Tensor, nn

from l3_modeltools.training.dryrun.kernels import OPS
from l3_modeltools.training.dryrun.model.chunk import Chunk
from l3_modeltools.training.dryrun.model.experts import ExpertProduct
from l3_modeltools.training.dryrun.model.product import Product
from l3_modeltools.training.dryrun.model.site import Site
from l3_modeltools.training.dryrun.model.weights import Deferred, Weight
from l3_modeltools.training.dryrun.rank import Rank
from l3_modeltools.training.dryrun.record import Ledger
from l3_modeltools.training.dryrun.states import Plan
from l3_modeltools.training.dryrun.tables import make_tables
from l3_modeltools.training.dryrun.units import Unit, chained, make_units, sharded

__all__ = ["Stage"]


class Stage:
    """All virtual stages of one rank, with weights, gradients, optimizer and inputs."""

    def __init__(
        self, rank: Rank, stage: int, ledger: Ledger, *, tensor_rank: int = 0, context_rank: int = 0
    ) -> None:
        self.rank, self.number, self.ledger = rank, stage, ledger
        tables = make_tables(rank, tensor_rank=tensor_rank, context_rank=context_rank)
        self.site = Site(rank=rank, ledger=ledger, tables=tables, tensor_rank=tensor_rank)
        degrees = rank.setting.strategy.degrees
        self.chunks = [Chunk(self.site, chunk=v, stage=stage) for v in range(degrees.vp)]
        self.plan = Plan.of(rank)
        self.ends, self.layers = self._units()
        self.defers = rank.setting.strategy.pipeline.schedule == "zero_bubble" and degrees.pp > 1
        self.tokens, self.labels = (torch.zeros(rank.tokens, dtype=torch.int64) for _ in range(2))
        self.idle = _idle(self.chunks, rank)
        self.rooms = self._rooms()
        self._given: list[deque[Tensor]] = [deque() for _ in self.chunks]
        self._late: list[deque[Deferred]] = [deque() for _ in self.chunks]

    def forward(self, chunk: int) -> Tensor:
        """Pass a micro batch through a virtual stage: its summed loss, or an empty tensor before the last one."""
        self.ends.gather()
        with self.ledger.forward():
            given = cast(Tensor, self.chunks[chunk](self.tokens, self.labels))
        self._given[chunk].append(given)
        return given

    def backward(self, chunk: int) -> None:
        """Take the gradient of the oldest micro batch back through a virtual stage."""
        given = self._given[chunk].popleft()
        if self.layers and self.rank.practice.overlap_dp:
            self.layers[-1].gather()
        self.site.deferred = [] if self.defers else None
        torch.autograd.backward(given, torch.ones_like(given))
        if self.site.deferred is not None:
            self._late[chunk].append(self.site.deferred)
        self.ends.end()
        if not self._keeps_outputs:
            self.site.outputs.clear()

    def weights(self, chunk: int) -> None:
        """Compute the gradients of weights that the oldest such backward pass left."""
        late = self._late[chunk].popleft()
        while late:
            late.pop(0)()

    def step(self) -> None:
        """Exchange gradients and change the weights."""
        self.site.outputs.clear()
        with torch.no_grad():
            self.exchange_within_stage()
            for state in chain.from_iterable(unit.states for unit in (self.ends, *self.layers)):
                state.step()

    def _units(self) -> tuple[Unit, list[Unit]]:
        """The ends with all that is no common layer, and the layers; passes run through those that are shared."""
        layers = [layer for chunk in self.chunks for layer in chunk.layers]
        others = [module for chunk in self.chunks for module in _others(chunk)]
        ends, *units = make_units([others, *([layer] for layer in layers)], self.rank, self.plan, self.ledger)
        if self.rank.practice.overlap_dp:
            chained(units)
        if self.plan.gathers or not self.plan.sums:
            self.site.run = partial(sharded, dict(zip(layers, units, strict=True)))
        return ends, units

    @property
    def _keeps_outputs(self) -> bool:
        """Whether logits of all micro batches are kept until the step is over, as torch.distributed.pipelining does."""
        return self.rank.practice.kept.stage_buffers and self.rank.setting.strategy.degrees.pp > 1

    def _rooms(self) -> list[Tensor]:
        """Room for the gradients of all micro batches, as torch.distributed.pipelining has it."""
        setting, rank = self.rank.setting, self.rank
        if not rank.practice.kept.stage_buffers or setting.strategy.degrees.pp == 1:
            return []
        coming = sum(chunk.output is None for chunk in self.chunks) * setting.microbatches
        with self.ledger.purpose("communication"):
            return [torch.empty(rank.slice, rank.hidden, dtype=rank.stream) for _ in range(coming)]

    def exchange_within_stage(self) -> None:
        """Sum what ranks of a tensor-parallel group have parts of, and gradients of both copies of a tied table."""
        rank = self.rank
        if rank.is_sliced:
            for weight in self.weights_of():
                if weight.whole and weight.total is not None:
                    OPS.all_reduce_(weight.total, rank.tensor.name, rank.tensor.ranks)
        tied = rank.architecture.tie_word_embeddings and rank.setting.strategy.degrees.pp > 1
        for chunk in self.chunks:
            if tied and chunk.embedding is not None and chunk.embedding.table.total is not None:
                OPS.all_reduce_(chunk.embedding.table.total, "embedding", 2)

    def weights_of(self) -> list[Weight]:
        """All weights of this rank."""
        return [one for chunk in self.chunks for one in chunk.modules() if isinstance(one, Weight)]


def _others(chunk: Chunk) -> list[nn.Module]:
    return [one for one in (chunk.embedding, chunk.output, chunk.further) if one is not None]


def _idle(chunks: list[Chunk], rank: Rank) -> list[Tensor]:
    """A gradient of each shape of matrix that lies idle beside the sums, as TransformerEngine since 2.3 has it."""
    if not rank.practice.kept.spare_gradients:
        return []
    shapes = set[tuple[int, ...]]()
    for module in chain.from_iterable(chunk.modules() for chunk in chunks):
        if isinstance(module, Product | ExpertProduct):
            weights = [cast(Weight, weight) for weight in module.weights]
            *lead, _, width = weights[0].shape
            shapes.add((*lead, sum(weight.shape[-2] for weight in weights), width))
    return [torch.empty(shape, dtype=rank.compute) for shape in sorted(shapes)]
