"""Megatron-LM's stages: even ones, the first and last of another size, or a layout that says all.

Source: NVIDIA/Megatron-LM@d98e8a6 megatron/core/transformer/transformer_block.py (get_num_layers_to_build) and
megatron/training/arguments.py. Layers for multi-token prediction come on top of the last stage unless a layout
says where they are.
"""

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.megatron.layout import parse_layout, write_layout
from l3_modeltools.frameworks.translate.stages import Counts, decoders, filled, flat, offset_of, tabled
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told

__all__ = [
    "FIRST",
    "LAST",
    "LAYERS",
    "LAYOUT",
    "MTP",
    "PER_STAGE",
    "PP",
    "VP",
    "WITH_EMBEDDING",
    "WITH_LOSS",
    "has_bare_stages",
    "layers",
    "read_offset",
    "read_vp",
    "stages",
    "write_stages",
]

PP, VP = "--pipeline-model-parallel-size", "--num-virtual-stages-per-pipeline-rank"
PER_STAGE = "--num-layers-per-virtual-pipeline-stage"
LAYERS, MTP = "--num-layers", "--mtp-num-layers"
FIRST, LAST = "--decoder-first-pipeline-num-layers", "--decoder-last-pipeline-num-layers"
LAYOUT = "--pipeline-model-parallel-layout"
WITH_EMBEDDING, WITH_LOSS = (
    "--account-for-embedding-in-pipeline-split",
    "--account-for-loss-in-pipeline-split",
)


def layers(config: Config) -> int | None:
    """All layers; None: the arguments do not say."""
    decoders = _decoders(config)
    return None if decoders is None else decoders + (config.integer(MTP, 0) or 0)


def _decoders(config: Config) -> int | None:
    if config.has(LAYERS):
        return config.count(LAYERS, 1)
    return config.architecture.num_hidden_layers if config.architecture else None


def read_vp(config: Config) -> int:
    """Virtual stages, told in one of three ways."""
    pp = config.count(PP, 1)
    if config.has(LAYOUT):
        return max(1, len(_layout(config)) // pp)
    if config.has(PER_STAGE):
        decoders = _decoders(config)
        if decoders is None:
            raise config.bad(PER_STAGE, f"{LAYERS} with it, to know how many virtual stages that makes")
        whole = decoders + config.flag(WITH_EMBEDDING) + config.flag(WITH_LOSS)
        each = config.count(PER_STAGE, 1)
        if whole % (pp * each):
            raise config.bad(PER_STAGE, f"a number that divides the {whole / pp:g} layers of a stage")
        return whole // pp // each
    return config.count(VP, 1)


def read_offset(config: Config) -> Counts | None:
    """How far stages are off the even share; None: nowhere, or the layers are not known."""
    held = stages(config)
    return offset_of(held) if held else None


def stages(config: Config) -> Counts | None:
    """Layers by [v][p]; None: the layers are not known."""
    pp, vp, decoders = config.count(PP, 1), read_vp(config), _decoders(config)
    if config.has(LAYOUT):
        return tabled(filled(_layout(config)), pp)
    if decoders is None:
        return None
    each = [list(_of_ranks(config, decoders, pp, vp)) for _ in range(vp)]
    each[0][0] -= config.flag(WITH_EMBEDDING)
    each[-1][-1] += (config.integer(MTP, 0) or 0) - config.flag(WITH_LOSS)
    return tuple(map(tuple, each))


def _of_ranks(config: Config, decoders: int, pp: int, vp: int) -> list[int]:
    """Layers of a virtual stage, by pipeline rank."""
    whole = decoders + config.flag(WITH_EMBEDDING) + config.flag(WITH_LOSS)
    told = [config.integer(name) for name in (FIRST, LAST)]
    left, ranks = whole - sum(one or 0 for one in told), pp - sum(one is not None for one in told)
    if (left % ranks if ranks else left) or left < 0:
        name = FIRST if told[0] is not None else LAST if told[1] is not None else PP
        raise config.bad(
            name, f"stages that share the {left} layers left evenly among {ranks}", hint=f"or say {LAYOUT}"
        )
    held = [left // ranks if ranks else 0] * pp
    held[0] = held[0] if told[0] is None else told[0]
    held[-1] = held[-1] if told[1] is None else told[1]
    if any(one % vp for one in held):
        raise config.bad(VP, f"a number that divides the layers of each stage, {held}")
    return [one // vp for one in held]


def has_bare_stages(config: Config) -> bool:
    """Whether a layout has stages without a layer, that of the loss for one."""
    return config.has(LAYOUT) and 0 in _layout(config)


def _layout(config: Config) -> list[int]:
    pp = config.count(PP, 1)
    try:
        held = parse_layout(str(config.value(LAYOUT)))
    except ValueError as error:
        raise config.bad(LAYOUT, "a layout such as `Et*7|(t*8|)*14t*7L`", hint=str(error)) from None
    if len(held) % pp:
        raise config.bad(LAYOUT, f"a multiple of {PP} {pp} stages", found=f"a layout of {len(held)} stages")
    return held


def write_stages(told: Told) -> Names:
    """Say the stages in the plainest words that hold them."""
    degrees, architecture = told.strategy.degrees, told.architecture
    virtual = {VP: degrees.vp} if degrees.vp > 1 else {}
    if architecture is None or told.stages is None:
        return virtual
    further = architecture.num_nextn_predict_layers
    counted: Names = {LAYERS: architecture.num_hidden_layers, **({MTP: further} if further else {})}
    held = decoders(told.stages, further, least=0)
    plain = _plain(held, degrees.pp)
    if plain is None:
        return {**counted, LAYOUT: write_layout(flat(held), further)}
    return {**counted, **virtual, **plain}


def _plain(held: Counts, pp: int) -> Names | None:
    """The first and last stage's layers where they differ; None: that does not say it."""
    row, vp = held[0], len(held)
    if any(other != row for other in held) or len(set(row[1:-1])) > 1:
        return None
    inner = row[1] if pp > 2 else sum(row) / pp
    names: dict[str, int] = {}
    if row[0] != inner:
        names[FIRST] = row[0] * vp
    if row[-1] != inner and pp > 1:
        names[LAST] = row[-1] * vp
    return names
