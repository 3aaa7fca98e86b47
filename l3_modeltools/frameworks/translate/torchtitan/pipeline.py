"""torchtitan's stages: layers dealt evenly, with fewer on the first and last, or a list of modules for each.

Source: pytorch/torchtitan@b5bcd76 torchtitan/distributed/pipeline_parallel.py (_get_pipeline_metadata,
_generate_llm_fqn_per_model_part, _get_pp_rank_to_stage_indices_mapping).
"""

from collections.abc import Callable
from itertools import accumulate, product
from math import ceil

from l3_modeltools.frameworks.translate.config import Config, Value
from l3_modeltools.frameworks.translate.stages import Counts, by_order, flat, offset_of, tabled
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told

__all__ = [
    "FIRST",
    "LAST",
    "MODULES",
    "PER_STAGE",
    "PP",
    "SCHEDULE",
    "layers",
    "read_offset",
    "read_schedule",
    "read_vp",
    "stages",
    "writer",
]

PP = "parallelism.pipeline_parallel_degree"
SCHEDULE = "parallelism.pipeline_parallel_schedule"
FIRST = "parallelism.pipeline_parallel_first_stage_less_layers"
LAST = "parallelism.pipeline_parallel_last_stage_less_layers"
PER_STAGE = "parallelism.pipeline_parallel_layers_per_stage"
MODULES = "parallelism.module_fqns_per_model_part"

SINGLE = {"1f1b": "1f1b", "gpipe": "1f1b"}
LOOPED = {
    "interleaved1f1b": "interleaved",
    "loopedbfs": "interleaved",
    "interleavedzerobubble": "zero_bubble",
    "zbvzerobubble": "zero_bubble",
    "dualpipev": "zero_bubble",
}
FOLDED = ("zbvzerobubble", "dualpipev")
"""Schedules whose second stage of a rank comes in the opposite order."""

MOST_LESS = 4
"""Largest difference of the outermost stages that is looked for."""


def layers(config: Config) -> int | None:
    """Layers of the model, which torchtitan's configuration names but does not count."""
    if config.architecture:
        return config.architecture.layers
    return sum(_listed(config)) if config.has(MODULES) else None


def read_schedule(config: Config) -> str:
    """Our schedule of that name; without a pipeline there is none."""
    if config.count(PP, 1) == 1:
        return "1f1b"
    return config.word(SCHEDULE, SINGLE | LOOPED, "1f1b")


def read_vp(config: Config) -> int:
    """Virtual stages: by the modules, by the layers of a stage, or 2 for a looped schedule."""
    pp = config.count(PP, 1)
    if pp == 1:
        return 1
    if config.has(MODULES):
        return max(1, len(_listed(config)) // pp)
    single, held = _schedule(config) in SINGLE, layers(config)
    if not config.has(PER_STAGE) or held is None:
        return 1 if single else 2
    found = ceil((held + _less(config, FIRST) + _less(config, LAST)) / config.count(PER_STAGE, 1))
    if found % pp or (found == pp) != single:
        expected = (
            f"a number that makes {pp} stages" if single else f"a number that makes 2 · {pp} stages or more"
        )
        raise config.bad(PER_STAGE, expected, found=f"{found} stages for `{_schedule(config)}` on {pp} ranks")
    return found // pp


def read_offset(config: Config) -> Counts | None:
    """How far stages are off the even share; None: nowhere, or the layers are not known."""
    held = stages(config)
    return offset_of(held) if held else None


def stages(config: Config) -> Counts | None:
    """Layers by [v][p]; None: the layers are not known."""
    pp, held = config.count(PP, 1), layers(config)
    if held is None:
        return None
    if pp == 1:
        return ((held,),)
    if config.has(MODULES):
        return _placed(config, _listed(config), pp)
    return _placed(config, _dealt(config, held, pp * read_vp(config)), pp)


def _dealt(config: Config, held: int, count: int) -> list[int]:
    first, last = _less(config, FIRST), _less(config, LAST)
    share = (held + first + last) // count
    for name, less in ((FIRST, first), (LAST, last)):
        if less > share:
            raise config.bad(
                name, f"at most {share}, the layers of the smallest stage", found=f"{less} fewer"
            )
    return _even(held, count, first, last)


def _even(held: int, count: int, first: int, last: int) -> list[int]:
    dealt = by_order(held + first + last, count)
    dealt[0] -= first
    dealt[-1] -= last
    return dealt


def _placed(config: Config, held: list[int], pp: int) -> Counts:
    if _schedule(config) in FOLDED and len(held) == 2 * pp:
        return tuple(held[:pp]), tuple(reversed(held[pp:]))
    return tabled(held, pp)


def _schedule(config: Config) -> str:
    return str(config.value(SCHEDULE) or "1F1B").casefold()


def _less(config: Config, name: str) -> int:
    """One fewer where nothing is said: torchtitan's own default."""
    found = config.integer(name, 1)
    if found is None or found < 0:
        raise config.bad(name, "a whole number of 0 or more")
    return found


def _listed(config: Config) -> list[int]:
    parts = config.value(MODULES)
    if not isinstance(parts, tuple) or not all(isinstance(part, tuple) for part in parts):
        raise config.bad(MODULES, "a list of module names for each stage", found="no list of lists")
    pp = config.count(PP, 1)
    if len(parts) % pp or not parts:
        raise config.bad(MODULES, f"a multiple of pp {pp}", found=f"modules of {len(parts)} stages")
    return [
        sum(str(name).startswith("layers.") for name in part) for part in parts if isinstance(part, tuple)
    ]


def writer(head: str) -> Callable[[Told], Names]:
    """Say the stages; `head` is what the output matrix is called in that release."""

    def write(told: Told) -> Names:
        degrees, schedule = told.strategy.degrees, told.strategy.pipeline.schedule
        if degrees.pp == 1:
            return {}
        word = "1F1B" if degrees.vp == 1 else "InterleavedZeroBubble"
        names: Names = {SCHEDULE: "Interleaved1F1B" if schedule == "interleaved" else word}
        if told.stages is None:
            return {**names, FIRST: 0, LAST: 0}
        found: Names | None = _fewer(list(flat(told.stages)), degrees.pp)
        return {**names, **(found if found is not None else {MODULES: _names(flat(told.stages), head)})}

    return write


def _fewer(held: list[int], pp: int) -> Names | None:
    """Fewer layers on the outermost stages, where that says it all."""
    whole, count = sum(held), len(held)
    for first, last in sorted(product(range(MOST_LESS), repeat=2), key=lambda pair: pair != (1, 1)):
        if max(first, last) <= (whole + first + last) // count and _even(whole, count, first, last) == held:
            each = ceil((whole + first + last) / count)
            if count <= 2 * pp:
                return {FIRST: first, LAST: last}
            if ceil((whole + first + last) / each) == count:
                return {FIRST: first, LAST: last, PER_STAGE: each}
    return None


def _names(held: tuple[int, ...], head: str) -> Value:
    starts = [0, *accumulate(held)]
    parts = [
        [f"layers.{layer}" for layer in range(start, start + count)]
        for start, count in zip(starts, held, strict=False)
    ]
    parts[0].insert(0, "tok_embeddings")
    parts[-1] += ["norm", head]
    return tuple(map(tuple, parts))
