"""One way to write each strategy, so that two that mean the same are equal."""

import msgspec

from l3_modeltools.frameworks.translate.stages import Counts
from l3_modeltools.schemas import Recompute, Strategy, layers_by_stage

__all__ = ["canonical"]


def canonical(strategy: Strategy, layers: int | None) -> Strategy:
    """Write null for tables that say what null says: no offset, all layers, none of them."""
    offset = strategy.pipeline.offset
    stages = layers_by_stage(strategy, layers) if layers else None
    return msgspec.structs.replace(
        strategy,
        pipeline=msgspec.structs.replace(strategy.pipeline, offset=_some(offset)),
        recompute=_recompute(strategy.recompute, stages),
    )


def _recompute(recompute: Recompute, stages: Counts | None) -> Recompute:
    mode, layers, selective = recompute.mode, recompute.layers, _some(recompute.selective_layers)
    if mode != "none" and layers is not None and not _some(layers):
        mode, layers, selective = ("selective", selective, None) if selective else ("none", None, None)
    if stages is not None and layers == stages:
        layers = None
    return Recompute(
        mode=mode,
        layers=layers,
        selective_layers=selective,
        gathering_layers=_some(recompute.gathering_layers),
    )


def _some(table: Counts | None) -> Counts | None:
    return table if table and any(map(any, table)) else None
