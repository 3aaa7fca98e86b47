"""Recomputation in graph mode: true, false, or how many first layers of each stage, whole or in part.

Source: mindspore-lab/mindformers@fd4deeb mindformers/models/utils.py (LayerSetting._format_recompute_list,
_alloc_recompute_layer): a row without virtual stages is dealt to them in turn, and nothing exceeds its stage.
"""

from l3_modeltools.frameworks.translate.config import Config, Value
from l3_modeltools.frameworks.translate.mindformers.stages import PP, numbers, read_vp, stages
from l3_modeltools.frameworks.translate.stages import Counts
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told

__all__ = [
    "COMMUNICATION",
    "FULL",
    "SELECT",
    "patterned",
    "read_gathering",
    "read_layers",
    "read_mode",
    "read_selective",
    "write_recompute",
]

FULL, SELECT = "recompute_config.recompute", "recompute_config.select_recompute"
COMMUNICATION = "recompute_config.select_comm_recompute"
MANY = 10_000


def read_mode(config: Config) -> str:
    """`full` where any layer is recomputed whole, else `selective` where any is in part."""
    if _any(_layers(config, FULL)):
        return "full"
    return "selective" if _any(_layers(config, SELECT)) else "none"


def read_layers(config: Config) -> Counts | None:
    """First layers of each stage that the mode is for; None: all, or none."""
    mode = read_mode(config)
    if mode == "none":
        return None
    name = FULL if mode == "full" else SELECT
    return None if config.value(name) is True else _layers(config, name)


def read_selective(config: Config) -> Counts | None:
    """Layers in part after those whole: graph mode counts both from the stage's first."""
    return _after(config, SELECT) if read_mode(config) == "full" else None


def read_gathering(config: Config) -> Counts | None:
    """Layers that gather again after those whole."""
    return _after(config, COMMUNICATION)


def patterned(config: Config, name: str) -> bool:
    """Whether it names operators, rather than how many layers."""
    value = config.value(name)
    told = isinstance(value, tuple) and any(isinstance(one, str) for one in value)
    return told or bool(config.below(name))


def write_recompute(told: Told) -> Names:
    """Both counts from the stage's first layer, as graph mode has them."""
    recompute, held = told.strategy.recompute, told.stages
    if recompute.mode == "selective":
        return {FULL: False, SELECT: _some(recompute.layers), **_gathering(told, None)}
    if recompute.mode == "none":
        return {FULL: False, SELECT: False, **_gathering(told, None)}
    whole = recompute.layers or held
    selective = _sum(whole, recompute.selective_layers) if recompute.layers else None
    names: Names = {FULL: _some(recompute.layers), SELECT: _written(selective) if selective else False}
    return {**names, **_gathering(told, whole)}


def _gathering(told: Told, whole: Counts | None) -> Names:
    gathering = told.strategy.recompute.gathering_layers
    if gathering is None or not _any(gathering):
        return {}
    return {COMMUNICATION: _written(_sum(whole, gathering) or gathering)}


def _some(table: Counts | None) -> Value:
    return True if table is None else _written(table)


def _written(table: Counts) -> Value:
    return table[0] if len(table) == 1 else table


def _sum(one: Counts | None, other: Counts | None) -> Counts | None:
    if one is None or other is None:
        return other
    return tuple(
        tuple(sum(pair) for pair in zip(*rows, strict=True)) for rows in zip(one, other, strict=True)
    )


def _after(config: Config, name: str) -> Counts | None:
    table, whole = _layers(config, name), _layers(config, FULL)
    if not _any(table) or table is None:
        return None
    left = tuple(
        tuple(max(0, count - taken) for count, taken in zip(*rows, strict=True))
        for rows in zip(table, whole or ((0,) * len(table[0]),) * len(table), strict=True)
    )
    return left if _any(left) else None


def _any(table: Counts | None) -> bool:
    return table is not None and any(map(any, table))


def _layers(config: Config, name: str) -> Counts | None:
    """First layers of each stage by [v][p]; None: none. Patterns of operators count by the most of any."""
    told = config.below(name)
    values = list(told.values()) if told else [config.value(name)]
    tables = [found for value in values if (found := _table(config, name, value)) is not None]
    if not tables:
        return None
    return tuple(
        tuple(max(counts) for counts in zip(*rows, strict=True)) for rows in zip(*tables, strict=True)
    )


def _table(config: Config, name: str, value: Value) -> Counts | None:
    pp, vp, held = config.count(PP, 1), read_vp(config), stages(config)
    if value is None or value is False:
        return None
    limit = held or ((MANY,) * pp,) * vp
    if value is True or (isinstance(value, tuple) and value and all(isinstance(one, str) for one in value)):
        return limit
    if not isinstance(value, tuple):
        raise config.bad(name, "true, false, or how many layers of each stage")
    if any(isinstance(row, tuple) for row in value):
        rows = [_row(config, name, row, limit[v]) for v, row in enumerate(value[:vp])]
        if len(value) != vp or any(len(row) != pp for row in rows):
            raise config.bad(name, f"{vp} rows of {pp} numbers", found=f"{len(value)} rows")
        return tuple(tuple(map(min, row, most)) for row, most in zip(rows, limit, strict=True))
    wanted = [MANY if one is True else 0 if one is False else one for one in value]
    if len(wanted) != pp:
        raise config.bad(name, f"{pp} numbers, one for each stage", found=f"{len(wanted)} numbers")
    return _dealt(numbers(config, name, tuple(wanted)), limit)


def _row(config: Config, name: str, row: Value, most: tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(row, bool):
        return most if row else (0,) * len(most)
    if isinstance(row, tuple):
        row = tuple(MANY if one is True else 0 if one is False else one for one in row)
    return numbers(config, name, row)


def _dealt(wanted: tuple[int, ...], limit: Counts) -> Counts:
    """Deal each stage's number to its virtual stages in turn, none beyond what it holds."""
    table = [[0] * len(wanted) for _ in limit]
    for p, whole in enumerate(wanted):
        left = min(whole, sum(row[p] for row in limit))
        while left > 0:
            for v, row in enumerate(limit):
                if left and table[v][p] < row[p]:
                    table[v][p] += 1
                    left -= 1
    return tuple(map(tuple, table))
