"""What a framework runs, as far as the search has to keep to it."""

from collections.abc import Mapping

from l3_modeltools.frameworks import runnable_degrees
from l3_modeltools.planning.search.problem import Limits, Recomputing, Schedule
from l3_modeltools.schemas import Strategy

__all__ = ["limits_of"]

SCHEDULES: tuple[Schedule, ...] = ("1f1b", "interleaved", "zero_bubble")
RECOMPUTING: Mapping[str, Recomputing] = {"mindformers": "by_stage", "megatron": "alike"}
"""Lists by stage (MindFormers 1.x), the first layers of virtual stages (Megatron-LM); others: all layers or none."""


def limits_of(framework: str) -> Limits:
    """The limits of a framework; UnsatisfiableError for one that is not known."""
    able = runnable_degrees(framework)

    def runs(strategy: Strategy, microbatches: int) -> bool:
        return not any(able.faults(strategy, microbatches))

    plain = not able.highest_zero and not able.fills_pipeline and able.groups is None
    limits = Limits(
        degrees=frozenset(able.degrees),
        zero_stages=able.zero_stages,
        schedules=tuple(one for one in SCHEDULES if one in able.schedules),
        recomputing=RECOMPUTING.get(framework, "all"),
    )
    return (
        limits
        if plain
        else Limits(
            degrees=limits.degrees,
            zero_stages=limits.zero_stages,
            schedules=limits.schedules,
            recomputing=limits.recomputing,
            runs=runs,
        )
    )
