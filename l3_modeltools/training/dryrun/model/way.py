"""How a layer is recomputed, as the strategy and the practice say of its place in its stage."""

from dataclasses import dataclass
from typing import Literal

from l3_modeltools.planning.cost import Setting

__all__ = ["Way", "ways_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """What of a layer is computed again in its backward pass."""

    layer: Literal["kept", "again", "every_second_product"] = "kept"
    recomputes_core: bool = False
    """Scores and shares of attention, where they are written."""
    recomputes_activation: bool = False
    """What the feed-forward part's activation function gives."""
    keeps_gathered: bool = False
    """Whether what sequence parallelism gathers is kept."""


def ways_of(setting: Setting, *, chunk: int, stage: int) -> tuple[Way, ...]:
    """The way of each layer of a virtual stage: its first ones are recomputed most."""
    count, recompute = setting.stages[chunk][stage], setting.strategy.recompute
    wanted = count if recompute.layers is None else recompute.layers[chunk][stage]
    full = wanted if recompute.mode == "full" else 0
    part = wanted if recompute.mode == "selective" else 0
    if recompute.selective_layers is not None:
        part = recompute.selective_layers[chunk][stage]
    again = recompute.gathering_layers[chunk][stage] if recompute.gathering_layers else 0
    keeps = [setting.practice.kept.gathered and not full <= at < full + again for at in range(count)]
    return tuple(_way(setting, at < full, at < full + part, keeps[at]) for at in range(count))


def _way(setting: Setting, full: bool, part: bool, keeps: bool) -> Way:
    if full:
        return Way(layer="again", keeps_gathered=keeps)
    if not part:
        return Way(keeps_gathered=keeps)
    what = setting.practice.selective_keeps
    return Way(
        layer="every_second_product" if what == "every_second_product" else "kept",
        recomputes_core=what == "all_but_attention_core",
        recomputes_activation=what == "all_but_activation",
        keeps_gathered=keeps,
    )
