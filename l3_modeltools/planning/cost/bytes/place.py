"""Which layers each pipeline stage holds, by kind and by how they are recomputed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.schemas import Recompute

__all__ = ["KINDS", "Chunk", "Kind", "Stage", "stages_of"]

Table = tuple[tuple[int, ...], ...]

Kind = Literal["dense", "sparse", "further"]
"""A layer with a dense feed-forward part, with experts, or for multi-token prediction."""

KINDS: tuple[Kind, ...] = ("dense", "sparse", "further")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A virtual stage: layers by kind, in the order of `KINDS`, and how many of them are recomputed how."""

    layers: tuple[int, int, int]
    full: int
    selective: int
    gathering: int

    def dealt(self) -> tuple[tuple[int, int, int], ...]:
        """Layers of each kind recomputed in full, selectively and not at all; the first layers are recomputed most."""
        full, selective, dealt = self.full, self.selective, []
        for count in self.layers:
            whole = min(full, count)
            part = min(selective, count - whole)
            full, selective = full - whole, selective - part
            dealt.append((whole, part, count - whole - part))
        return tuple(dealt)


@dataclass(frozen=True, slots=True)
class Stage:
    """A pipeline stage with its virtual stages; the first holds the embedding, the last the output."""

    chunks: tuple[Chunk, ...]
    first: bool
    last: bool

    @property
    def layers(self) -> int:
        """All its layers."""
        return sum(sum(chunk.layers) for chunk in self.chunks)

    def count(self, kind: int) -> int:
        """Its layers of one kind, by place in `KINDS`."""
        return sum(chunk.layers[kind] for chunk in self.chunks)


def stages_of(setting: Setting) -> tuple[Stage, ...]:
    """All pipeline stages. Layers follow each other over the stages of virtual stage 0, then of 1, and so on."""
    dense, sparse = pieces.dense_layers(setting.architecture), setting.architecture.num_hidden_layers
    return _placed(setting.stages, setting.strategy.recompute, dense, sparse)


@lru_cache(maxsize=4096)
def _placed(table: Table, recompute: Recompute, dense: int, sparse: int) -> tuple[Stage, ...]:
    """Of the layers counted through, those before `dense` are dense, then come sparse ones, then further ones."""
    rows: list[list[Chunk]] = []
    start = 0
    for v, row in enumerate(table):
        rows.append([])
        for p, count in enumerate(row):
            end = start + count
            kinds = (
                max(0, min(end, dense) - start),
                max(0, min(end, sparse) - max(start, dense)),
                max(0, end - max(start, sparse)),
            )
            rows[v].append(Chunk(kinds, *_recomputed(recompute, v, p, count)))
            start = end
    return tuple(_stages(rows))


def _stages(rows: list[list[Chunk]]) -> Iterator[Stage]:
    pp = len(rows[0])
    for p in range(pp):
        yield Stage(tuple(row[p] for row in rows), first=p == 0, last=p == pp - 1)


def _recomputed(recompute: Recompute, v: int, p: int, count: int) -> tuple[int, int, int]:
    """Layers of one virtual stage recomputed in full, selectively, and gathering again."""
    wanted = count if recompute.layers is None else recompute.layers[v][p]
    full = wanted if recompute.mode == "full" else 0
    selective = wanted if recompute.mode == "selective" else 0
    if recompute.selective_layers:
        selective = recompute.selective_layers[v][p]
    gathering = recompute.gathering_layers[v][p] if recompute.gathering_layers else 0
    return full, selective, gathering
