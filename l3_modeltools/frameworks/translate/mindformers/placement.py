"""Stages of the dynamic graph: even ones, or a range of layers for each; those to predict further lie on the last.

Source: mindspore-ai/mindformers@167a50d mindformers/pynative/distributed/pipeline_parallel.py (PpLayerSetting).
"""

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.mindformers.ranges import chunks_of, spans
from l3_modeltools.frameworks.translate.stages import Counts, decoders, flat, offset_of
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told

__all__ = [
    "HELD",
    "LAYERS",
    "LENGTH",
    "MTP",
    "PP",
    "SCHEDULE",
    "VP",
    "layers",
    "offset",
    "stages",
    "write_stages",
]

PP, VP = "parallelism.pipeline_parallel", "parallelism.pipeline_parallel_interleave_num"
HELD, SCHEDULE = "parallelism.pipeline_parallel_layers_per_stage", "parallelism.pipeline_parallel_schedule"
LAYERS, MTP, LENGTH = "model.num_hidden_layers", "model.num_nextn_predict_layers", "model.seq_length"


def _decoders(config: Config) -> int | None:
    if config.has(LAYERS):
        return config.count(LAYERS, 1)
    return config.architecture.num_hidden_layers if config.architecture else None


def layers(config: Config) -> int | None:
    """All layers, those for multi-token prediction included; None: the file does not say."""
    plain = _decoders(config)
    return None if plain is None else plain + _further(config)


def _further(config: Config) -> int:
    if config.has(MTP) or config.has(LAYERS) or config.architecture is None:
        return config.integer(MTP, 0) or 0
    return config.architecture.num_nextn_predict_layers


def stages(config: Config) -> Counts | None:
    """Layers by [v][p]; those for multi-token prediction come on top of the last stage."""
    pp, vp, plain = config.count(PP, 1), config.count(VP, 1), _decoders(config)
    if config.value(HELD) in (None, "auto"):
        if plain is None:
            return None
        if plain % (pp * vp):
            found = f"{plain} layers for pp {pp} · vp {vp}, dealt evenly"
            raise config.bad(HELD if config.has(HELD) else PP, f"`{HELD}` with ranges of layers", found=found)
        table = [[plain // (pp * vp)] * pp for _ in range(vp)]
    else:
        table = _explicit(config, pp, vp)
    table[-1][-1] += _further(config)
    return tuple(map(tuple, table))


def _explicit(config: Config, pp: int, vp: int) -> list[list[int]]:
    value = config.value(HELD)
    try:
        rows = spans(value if isinstance(value, tuple) else ())
    except ValueError as error:
        raise config.bad(
            HELD, "a range of layers for each virtual stage of each rank", hint=str(error)
        ) from None
    if [len(row) for row in rows] != [vp] * pp:
        raise config.bad(HELD, f"{pp} ranks of {vp} ranges", found=f"{len(rows)} ranks")
    return [[rows[p][v][1] - rows[p][v][0] + 1 for p in range(pp)] for v in range(vp)]


def offset(config: Config) -> Counts | None:
    """How far stages are off the even share; None: nowhere, or the layers are not known."""
    held = stages(config)
    return offset_of(held) if held else None


def write_stages(told: Told) -> Names:
    """Ranges of layers for each rank, or `auto` where stages are even."""
    degrees, architecture = told.strategy.degrees, told.architecture
    names: Names = {VP: degrees.vp, SCHEDULE: "interleaved_1f1b" if degrees.vp > 1 else "1f1b"}
    if architecture is None or told.stages is None:
        return names
    further = architecture.num_nextn_predict_layers
    held = decoders(told.stages, further, least=1)
    even = len(set(flat(held))) == 1
    stages: Names = {HELD: "auto" if even else chunks_of(held)}
    counted: Names = {LAYERS: architecture.num_hidden_layers, **({MTP: further} if further else {})}
    return {**names, **(stages if degrees.pp > 1 else {}), **counted}
