"""How a model is cut over devices: degrees, stages, recomputation, sharding."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Part, Positive, below
from l0_infra.core.errors import Fault, FieldPath
from l3_modeltools.schemas.architecture import Architecture
from l3_modeltools.schemas.cut import batch_faults, cut_faults

__all__ = ["Degrees", "Pipeline", "Recompute", "Strategy", "Workload"]

Degree = Annotated[int, Meta(ge=1, le=1_000_000)]
Offset = Annotated[int, Meta(ge=-10_000, le=10_000)]


class Degrees(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many ways each dimension is cut; dp · tp · pp · cp is the world size."""

    dp: Annotated[Degree, Meta(description="Data-parallel copies.")] = 1
    tp: Annotated[Degree, Meta(description="Tensor-parallel parts of a layer.")] = 1
    pp: Annotated[Degree, Meta(description="Pipeline stages.")] = 1
    cp: Annotated[Degree, Meta(description="Context-parallel parts of a sequence.")] = 1
    ep: Annotated[Degree, Meta(description="Expert-parallel groups, within dp · cp · tp.")] = 1
    vp: Annotated[Degree, Meta(description="Virtual stages on each pipeline stage.")] = 1
    sequence_parallel: Annotated[
        bool, Meta(description="Whether the tp group also splits the sequence between its matrices.")
    ] = False

    @property
    def world_size(self) -> int:
        """The number of ranks: dp · tp · pp · cp."""
        return self.dp * self.tp * self.pp * self.cp

    def faults(self) -> Iterator[Fault]:
        """Yield degrees that contradict each other."""
        if self.vp > 1 and self.pp == 1:
            yield Fault(path=("vp",), found=f"vp {self.vp} with pp 1", expected="vp 1, or pp of 2 or more")
        if self.sequence_parallel and self.tp == 1:
            yield Fault(path=("sequence_parallel",), found="true with tp 1", expected="tp of 2 or more")
        if (self.dp * self.cp * self.tp) % self.ep:
            found = f"ep {self.ep} with dp {self.dp} · cp {self.cp} · tp {self.tp}"
            yield Fault(path=("ep",), found=found, expected="an ep that divides dp · cp · tp")


class Pipeline(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How layers are dealt to stages, and in which order the stages work.

    Virtual stage v of stage p holds L // (pp · vp) + offset[v][p] layers, L counting those for multi-token
    prediction; the offsets sum to L mod (pp · vp).
    """

    schedule: Annotated[
        Literal["1f1b", "interleaved", "zero_bubble"], Meta(description="Order of forward and backward.")
    ] = "1f1b"
    offset: Annotated[
        tuple[tuple[Offset, ...], ...] | None,
        Meta(description="Layers more or fewer than the even share, by [v][p]; null: all 0."),
    ] = None


class Recompute(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which activations are computed again in the backward pass rather than kept."""

    mode: Annotated[
        Literal["none", "selective", "full"],
        Meta(description="`selective`: the attention core only (arXiv:2205.05198); `full`: whole layers."),
    ] = "none"
    layers: Annotated[
        tuple[tuple[Count, ...], ...] | None,
        Meta(description="First layers of each stage it is done for, by [v][p]; null: all."),
    ] = None
    selective_layers: Annotated[
        tuple[tuple[Count, ...], ...] | None,
        Meta(description="Layers after those of mode `full` that are selective, by [v][p]; null: none."),
    ] = None
    gathering_layers: Annotated[
        tuple[tuple[Count, ...], ...] | None,
        Meta(
            description="First layers not recomputed in full that gather their tokens again, where a trainer would"
            " keep them gathered, by [v][p]; null: none."
        ),
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield layers named for a mode that recomputes none, and further selective ones without full ones."""
        if self.mode == "none" and self.layers is not None:
            yield Fault(
                path=("layers",), found="layers with the mode `none`", expected="`selective` or `full`"
            )
        if self.mode != "full" and self.selective_layers is not None:
            found = f"selective_layers with the mode `{self.mode}`"
            yield Fault(path=("selective_layers",), found=found, expected="`full`, or `layers`")


class Workload(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a strategy is made for."""

    architecture: Annotated[Architecture, Meta(description="The model that is cut.")]
    sequence_length: Annotated[Positive, Meta(description="Tokens of a sequence.")]
    global_batch_size: Annotated[Positive, Meta(description="Sequences of a step, over all copies.")]


class Strategy(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="strategy"):
    """How a model is cut over devices."""

    degrees: Annotated[Degrees, Meta(description="How many ways each dimension is cut.")] = Degrees()
    pipeline: Annotated[Pipeline, Meta(description="Stages.")] = Pipeline()
    recompute: Annotated[Recompute, Meta(description="What is computed twice.")] = Recompute()
    zero_stage: Annotated[
        Literal[0, 1, 2, 3],
        Meta(description="What dp shards: 1 optimizer state, 2 gradients too, 3 weights too; 0 nothing."),
    ] = 0
    micro_batch_size: Annotated[Positive, Meta(description="Sequences one copy takes at a time.")] = 1
    padded_vocab_size: Annotated[
        Positive | None, Meta(description="Vocabulary after padding, done once; null: not padded.")
    ] = None
    vocab_parallel: Annotated[
        bool,
        Meta(
            description="Whether tp cuts the embedding and the output by vocabulary; false: each of its ranks has both"
            " whole, and computes all logits."
        ),
    ] = True
    workload: Annotated[
        Workload | None, Meta(description="What it is made for; null: what the document around it says.")
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield tables of the wrong shape, a schedule without its stages, and what the workload forbids."""
        yield from self._shape_faults()
        yield from self._schedule_faults()
        if self.workload:
            yield from cut_faults(self, self.workload.architecture, self.workload.sequence_length)
            yield from below(("workload",), batch_faults(self, self.workload.global_batch_size))

    def _shape_faults(self) -> Iterator[Fault]:
        yield from self._table_faults(("pipeline", "offset"), self.pipeline.offset)
        recompute = self.recompute
        yield from self._table_faults(("recompute", "layers"), recompute.layers)
        yield from self._table_faults(("recompute", "selective_layers"), recompute.selective_layers)
        yield from self._table_faults(("recompute", "gathering_layers"), recompute.gathering_layers)

    def _table_faults(self, path: FieldPath, table: tuple[tuple[int, ...], ...] | None) -> Iterator[Fault]:
        vp, pp = self.degrees.vp, self.degrees.pp
        if table is None or [len(row) for row in table] == [pp] * vp:
            return
        lengths = " or ".join(map(str, sorted({len(row) for row in table}))) or "no"
        found = f"{len(table)} rows of {lengths} numbers"
        yield Fault(path=path, found=found, expected=f"vp {vp} rows of pp {pp} numbers")

    def _schedule_faults(self) -> Iterator[Fault]:
        vp, schedule = self.degrees.vp, self.pipeline.schedule
        if schedule == "1f1b" and vp > 1:
            yield Fault(path=("pipeline", "schedule"), found=f"`1f1b` with vp {vp}", expected="`interleaved`")
        if schedule == "interleaved" and vp == 1:
            expected = "`1f1b`, or a vp of 2 or more"
            yield Fault(path=("pipeline", "schedule"), found="`interleaved` with vp 1", expected=expected)
