"""The stages of graph mode: the even share plus an offset, for each stage or each virtual stage of it.

Source: mindspore-lab/mindformers@fd4deeb mindformers/models/utils.py (LayerSetting): one number or one row is
broadcast over [pp_interleave_num][pipeline_stage], and the sum must be what the even share leaves.
"""

from l3_modeltools.frameworks.translate.config import Config, Value
from l3_modeltools.frameworks.translate.stages import Counts, filled, flat, offset_of, tabled
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told

__all__ = [
    "INTERLEAVE",
    "INTERLEAVED",
    "LAYERS",
    "MTP",
    "OFFSET",
    "PP",
    "SCHEDULER",
    "grid",
    "layers",
    "numbers",
    "read_offset",
    "read_vp",
    "stages",
    "write_stages",
]

MODEL = "model.model_config"
PP, OFFSET = "parallel_config.pipeline_stage", f"{MODEL}.offset"
INTERLEAVE, INTERLEAVED = f"{MODEL}.pp_interleave_num", "parallel.pipeline_config.pipeline_interleave"
SCHEDULER = "parallel.pipeline_config.pipeline_scheduler"
LAYERS = f"{MODEL}.num_layers", f"{MODEL}.num_hidden_layers"
MTP = f"{MODEL}.mtp_depth", f"{MODEL}.num_nextn_predict_layers"


def layers(config: Config) -> int | None:
    """All layers, those for multi-token prediction included; None: the file does not say."""
    for name in LAYERS:
        if config.has(name):
            return config.count(name, 1) + sum(config.integer(one, 0) or 0 for one in MTP)
    return config.architecture.layers if config.architecture else None


def read_vp(config: Config) -> int:
    """Virtual stages, which count only where the pipeline is told to interleave."""
    return config.count(INTERLEAVE, 1) if config.flag(INTERLEAVED) and config.count(PP, 1) > 1 else 1


def read_offset(config: Config) -> Counts | None:
    """How far stages are off the even share. Raises BadValue for an offset that does not make up the layers."""
    held = stages(config)
    if held is not None:
        return offset_of(held)
    offset = grid(config, OFFSET, config.count(PP, 1), read_vp(config))
    return offset if any(map(any, offset)) else None


def stages(config: Config) -> Counts | None:
    """Layers by [v][p]; None: the layers are not known. Raises BadValue where the offset does not make them up."""
    pp, vp, whole = config.count(PP, 1), read_vp(config), layers(config)
    if whole is None:
        return None
    dealt = whole - _on_top(config)
    offset = grid(config, OFFSET, pp, vp) if pp > 1 else ((0,),)
    share, rest = divmod(dealt, pp * vp)
    if (found := sum(map(sum, offset))) != rest:
        raise config.bad(
            OFFSET,
            f"a sum of {rest}: {dealt} layers = pp {pp} · vp {vp} · {share} + {rest}",
            found=f"an offset whose sum is {found}",
            hint="layers for multi-token prediction count, unless the model is told as num_hidden_layers",
        )
    held = [list(row) for row in _added(offset, share)]
    held[-1][-1] += _on_top(config)
    return tabled(filled(flat(tuple(map(tuple, held)))), pp)


def _added(offset: Counts, share: int) -> Counts:
    return tuple(tuple(share + extra for extra in row) for row in offset)


def _on_top(config: Config) -> int:
    """Layers for multi-token prediction that lie on the last stage, on top of those that are dealt.

    Releases since 1.6 do so with models told as `num_hidden_layers`: mindspore-ai/mindformers@167a50d
    mindformers/parallel_core/training_graph/transformer/transformer_block.py.
    """
    later = config.has(LAYERS[1]) and not config.has(LAYERS[0])
    return sum(config.integer(one, 0) or 0 for one in MTP) if later else 0


def grid(config: Config, name: str, pp: int, vp: int) -> Counts:
    """One number, one row or all rows, as [v][p]. Raises BadValue for another shape."""
    value = config.value(name)
    if value is None or isinstance(value, int):
        return ((int(value or 0),) * pp,) * vp
    rows = value if isinstance(value, tuple) and value and isinstance(value[0], tuple) else (value,) * vp
    table = tuple(numbers(config, name, row) for row in rows)
    if [len(row) for row in table] != [pp] * vp:
        shape = f"{len(table)} rows of {' or '.join(map(str, sorted({len(row) for row in table})))} numbers"
        raise config.bad(name, f"{vp} of {pp} numbers", found=shape)
    return table


def numbers(config: Config, name: str, row: Value) -> tuple[int, ...]:
    """A row of whole numbers."""
    if not isinstance(row, tuple) or not all(isinstance(one, int) for one in row):
        raise config.bad(name, "whole numbers, one for each stage")
    return tuple(int(one) for one in row if isinstance(one, int))


def write_stages(told: Told) -> Names:
    """The offset, and the layers it is counted from where the model is known."""
    strategy, architecture = told.strategy, told.architecture
    vp, schedule = strategy.degrees.vp, strategy.pipeline.schedule
    counted: Names = {}
    if architecture:
        further = architecture.num_nextn_predict_layers
        counted = {LAYERS[0]: architecture.num_hidden_layers, **({MTP[0]: further} if further else {})}
    offset = strategy.pipeline.offset
    scheduler = "zero_bubble_v" if schedule == "zero_bubble" and vp == 2 else "1f1b"
    virtual: Names = {INTERLEAVE: vp, INTERLEAVED: True, SCHEDULER: scheduler} if vp > 1 else {}
    return {**counted, OFFSET: (offset[0] if vp == 1 else offset) if offset else 0, **virtual}
