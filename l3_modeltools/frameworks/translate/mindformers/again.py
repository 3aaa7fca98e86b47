"""Recomputation of the dynamic graph: ranges of layers, in full or of chosen modules.

Source: mindspore-ai/mindformers@167a50d mindformers/pynative/distributed/activation_checkpoint.py.
"""

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.mindformers import placement
from l3_modeltools.frameworks.translate.mindformers.ranges import first_layers, layers_in, ranges_of
from l3_modeltools.frameworks.translate.stages import Counts, flat
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told

__all__ = [
    "ATTENTION",
    "FULL",
    "MODE",
    "PARTS",
    "mode",
    "recomputed",
    "scattered",
    "write_recompute",
]

MODE, FULL, PARTS = "recompute.mode", "recompute.full_recompute_layer", "recompute.select_module"
ATTENTION = f"{PARTS}.self_attention\\.core_attention"


def mode(config: Config) -> str:
    """The mode, in our word."""
    return config.word(MODE, {"none": "none", "full": "full", "select": "selective"}, "none")


def _named(config: Config) -> set[int]:
    told = config.below(PARTS)
    values = list(told.values()) if told else [config.value(PARTS)]
    name = FULL if mode(config) == "full" else PARTS
    found = [config.value(FULL)] if name == FULL else values
    try:
        return set().union(*(layers_in(value if isinstance(value, tuple) else (value,)) for value in found))
    except ValueError as error:
        raise config.bad(name, "ranges of layers", hint=str(error)) from None


def recomputed(config: Config) -> Counts | None:
    """First layers of each stage that are recomputed; None: all, or none."""
    held = placement.stages(config)
    if mode(config) == "none" or held is None:
        return None
    table, _ = first_layers(held, _named(config))
    return None if table == held else table


def scattered(config: Config) -> bool:
    """Whether others than the first layers of a stage are."""
    held = placement.stages(config)
    return mode(config) != "none" and held is not None and not first_layers(held, _named(config))[1]


def write_recompute(told: Told) -> Names:
    """Ranges of the first layers of each stage."""
    recompute, held = told.strategy.recompute, told.stages
    if recompute.mode == "none" or (recompute.layers is not None and not any(map(any, recompute.layers))):
        return {MODE: "None"}
    name, mode = (FULL, "full") if recompute.mode == "full" else (ATTENTION, "select")
    if held is None:
        return {MODE: mode}
    wanted, end, named = flat(recompute.layers or held), 0, set[int]()
    for count, first in zip(flat(held), wanted, strict=True):
        named.update(range(end, end + first))
        end += count
    return {MODE: mode, name: ranges_of(named)}
