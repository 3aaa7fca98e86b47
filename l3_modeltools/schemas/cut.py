"""Whether a strategy can cut a model at all: every degree must divide what it cuts."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import TYPE_CHECKING

from l0_infra.core.errors import Fault
from l3_modeltools.schemas.architecture import Architecture, GroupedAttention
from l3_modeltools.schemas.divisors import division, near_divisors, near_multiples

if TYPE_CHECKING:
    from l3_modeltools.schemas.strategy import Strategy

__all__ = ["balanced_offset", "batch_faults", "cut_faults", "layers_by_stage"]

Table = tuple[tuple[int, ...], ...]

SHOWN = 64
"""Most numbers of an offset that a hint writes out."""


def layers_by_stage(strategy: Strategy, layers: int) -> Table:
    """Layers of each stage by [v][p]: L // (pp · vp) + offset[v][p]."""
    pp, vp = strategy.degrees.pp, strategy.degrees.vp
    offset = strategy.pipeline.offset or ((0,) * pp,) * vp
    return tuple(tuple(layers // (pp * vp) + extra for extra in row) for row in offset)


def balanced_offset(layers: int, pp: int, vp: int, near: Table | None = None) -> Table:
    """The legal offset with the fewest layers moved from `near` (null: all 0).

    A layer more goes to the smallest stages first, and of those to inner ones: the outermost two hold the
    embedding and the output too.
    """
    flat = [extra for row in near or ((0,) * pp,) * vp for extra in row]
    every, some = divmod(layers % (pp * vp) - sum(flat), pp * vp)
    by_need = sorted(range(pp * vp), key=lambda place: (flat[place], place in (0, pp * vp - 1), place))
    chosen = set(by_need[:some])
    moved = [extra + every + (place in chosen) for place, extra in enumerate(flat)]
    if near and layers // (pp * vp) + min(moved) < 1:
        return balanced_offset(layers, pp, vp)
    return tuple(tuple(moved[v * pp : (v + 1) * pp]) for v in range(vp))


def cut_faults(strategy: Strategy, architecture: Architecture, sequence_length: int) -> Iterator[Fault]:
    """Yield every degree that does not divide what it cuts; paths are relative to the strategy."""
    yield from _stage_faults(strategy, architecture)
    yield from _tensor_faults(strategy.degrees.tp, architecture)
    yield from _vocabulary_faults(strategy, architecture.vocab_size)
    yield from _expert_faults(strategy.degrees.ep, architecture)
    yield from _sequence_faults(strategy, sequence_length)


def batch_faults(strategy: Strategy, global_batch_size: int) -> Iterator[Fault]:
    """Yield a global batch that is no whole number of micro batches for each copy."""
    unit = strategy.micro_batch_size * strategy.degrees.dp
    if global_batch_size % unit:
        yield Fault(
            path=("global_batch_size",),
            found=division("global_batch_size", global_batch_size, unit),
            expected=f"a multiple of micro_batch_size {strategy.micro_batch_size} × dp {strategy.degrees.dp}",
            hint=f"nearest: {near_multiples(unit, global_batch_size)}",
        )


def _stage_faults(strategy: Strategy, architecture: Architecture) -> Iterator[Fault]:
    pp, vp = strategy.degrees.pp, strategy.degrees.vp
    if pp * vp > architecture.layers:
        found = f"pp {pp} · vp {vp} = {pp * vp} stages for {architecture.layers} layers"
        yield Fault(path=("degrees", "pp"), found=found, expected="a layer for every stage")
        return
    stages = layers_by_stage(strategy, architecture.layers)
    if any(len(row) != pp for row in stages) or len(stages) != vp:
        return
    yield from _offset_faults(strategy, architecture, stages)
    yield from _recompute_faults(strategy, stages)


def _recompute_faults(strategy: Strategy, stages: Table) -> Iterator[Fault]:
    """Yield more layers than a stage has, or than those recomputed in full leave."""
    recompute = strategy.recompute
    yield from _table_faults("layers", recompute.layers, stages)
    full = recompute.layers if recompute.mode == "full" else ((0,) * len(stages[0]),) * len(stages)
    left = tuple(
        tuple(max(0, count - taken) for count, taken in zip(*rows, strict=False))
        for rows in zip(stages, full or stages, strict=False)
    )
    yield from _table_faults("selective_layers", recompute.selective_layers, left)
    yield from _table_faults("gathering_layers", recompute.gathering_layers, left)


def _table_faults(name: str, table: Table | None, stages: Table) -> Iterator[Fault]:
    for v, row in enumerate(table or ()):
        for p, wanted in enumerate(row):
            if v < len(stages) and p < len(stages[v]) and wanted > stages[v][p]:
                found = f"{wanted} of the {stages[v][p]} layers of this stage"
                if name != "layers":
                    found = f"{wanted} of {stages[v][p]} layers of this stage that are not recomputed in full"
                yield Fault(path=("recompute", name, v, p), found=found, expected="no more than it has")


def _offset_faults(strategy: Strategy, architecture: Architecture, stages: Table) -> Iterator[Fault]:
    pp, vp = strategy.degrees.pp, strategy.degrees.vp
    layers, held = architecture.layers, sum(map(sum, stages))
    share, rest = divmod(layers, pp * vp)
    for v, row in enumerate(stages):
        for p, count in enumerate(row):
            if count < 1:
                found = f"{share} + {count - share} = {count} layers on stage {p}"
                yield Fault(path=("pipeline", "offset", v, p), found=found, expected="at least 1")
    if held != layers:
        further = architecture.num_nextn_predict_layers
        written = f"{architecture.num_hidden_layers} + {further}" if further else f"{layers}"
        nearest = balanced_offset(layers, pp, vp, strategy.pipeline.offset)
        yield Fault(
            path=("pipeline", "offset"),
            found=f"sum {held - layers + rest}, which builds {held} of {written} layers",
            expected=f"sum {rest}: {written} layers = pp {pp} · vp {vp} · {share} + {rest}",
            hint=f"nearest: {[list(row) for row in nearest]}" if pp * vp <= SHOWN else "",
        )


def _tensor_faults(tp: int, architecture: Architecture) -> Iterator[Fault]:
    attention = architecture.attention
    cut = {"num_attention_heads": attention.num_attention_heads}
    if isinstance(attention, GroupedAttention):
        cut["num_key_value_heads"] = attention.key_value_heads
    cut["intermediate_size"] = architecture.mlp.intermediate_size
    common = gcd(*cut.values())
    for name, whole in cut.items():
        if whole % tp:
            found = f"{name} {whole}, fewer than tp {tp}" if whole < tp else division(name, whole, tp)
            yield Fault(
                path=("degrees", "tp"),
                found=found,
                expected=f"a tp that divides {name}",
                hint=f"nearest that divides {', '.join(cut)}: {near_divisors(common, tp)}",
            )


def _vocabulary_faults(strategy: Strategy, vocab_size: int) -> Iterator[Fault]:
    tp, padded = strategy.degrees.tp, strategy.padded_vocab_size
    if padded is not None and padded < vocab_size:
        found = f"{padded}, fewer than vocab_size {vocab_size}"
        yield Fault(path=("padded_vocab_size",), found=found, expected="at least vocab_size")
    elif strategy.vocab_parallel and (padded or vocab_size) % tp:
        whole = padded or vocab_size
        yield Fault(
            path=("degrees", "tp") if padded is None else ("padded_vocab_size",),
            found=division("padded_vocab_size" if padded else "vocab_size", whole, tp),
            expected=f"a vocabulary that tp {tp} divides",
            hint=f"pad it once: `padded_vocab_size: {-(-whole // tp) * tp}`",
        )


def _expert_faults(ep: int, architecture: Architecture) -> Iterator[Fault]:
    experts = architecture.experts
    if experts is None and ep > 1:
        yield Fault(path=("degrees", "ep"), found=f"ep {ep} for a model without experts", expected="ep 1")
    elif experts and experts.n_routed_experts % ep:
        yield Fault(
            path=("degrees", "ep"),
            found=division("n_routed_experts", experts.n_routed_experts, ep),
            expected="an ep that divides n_routed_experts",
            hint=f"nearest: {near_divisors(experts.n_routed_experts, ep)}",
        )


def _sequence_faults(strategy: Strategy, sequence_length: int) -> Iterator[Fault]:
    """Causal context parallelism gives each rank one early and one late chunk, hence 2 · cp."""
    degrees = strategy.degrees
    parts = (2 * degrees.cp if degrees.cp > 1 else 1) * (degrees.tp if degrees.sequence_parallel else 1)
    if sequence_length % parts:
        yield Fault(
            path=("degrees", "cp" if degrees.cp > 1 else "sequence_parallel"),
            found=division("sequence_length", sequence_length, parts),
            expected=f"a sequence_length that {parts} parts divide",
            hint=f"nearest sequence_length: {near_multiples(parts, sequence_length)}",
        )
