"""How many micro batches a pipeline stage keeps activations of at once: what its schedule makes it wait for."""

from functools import lru_cache

from l3_modeltools.planning.cost.setting import Setting

__all__ = ["in_flight"]


def in_flight(setting: Setting) -> tuple[tuple[int, ...], ...]:
    """Micro batches kept at the fullest moment, by pipeline stage and virtual stage: [p][v].

    1F1B: min(m, pp - p) (arXiv:2104.04473, section 2.2.1). Interleaved: 2 (pp - p - 1) + (vp - 1) pp forward passes
    before the first backward one and the one just before it, dealt to the virtual stages in groups of pp, as
    Megatron-LM warms up (section 2.2.2; arXiv:2205.05198, appendix B: L (1 + (pp - 1) / (pp vp)) layers on the first
    stage). Zero bubble: on each stage as many as the like schedule with a bubble keeps on its first one
    (arXiv:2401.10241, section 3).
    """
    degrees, schedule = setting.strategy.degrees, setting.strategy.pipeline.schedule
    return _flights(schedule, degrees.pp, degrees.vp, setting.microbatches)


@lru_cache(maxsize=4096)
def _flights(schedule: str, pp: int, vp: int, batches: int) -> tuple[tuple[int, ...], ...]:
    def of(p: int) -> tuple[int, ...]:
        return (min(batches, pp - p),) if vp == 1 else _interleaved(p, pp, vp, batches)

    return (of(0),) * pp if schedule == "zero_bubble" else tuple(map(of, range(pp)))


def _interleaved(p: int, pp: int, vp: int, batches: int) -> tuple[int, ...]:
    """Forward passes before the first backward one: groups of pp micro batches, by virtual stage in turn."""
    passes, kept = min(2 * (pp - p - 1) + (vp - 1) * pp + 1, batches * vp), [0] * vp
    for begun in range(0, batches, pp):
        for v in range(vp):
            taken = min(pp, batches - begun, passes)
            kept[v], passes = kept[v] + taken, passes - taken
    return tuple(kept)
