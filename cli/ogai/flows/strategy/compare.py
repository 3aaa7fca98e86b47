"""Set two strategies side by side: what differs, and what that does to a step's time and memory."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l3_modeltools import Opinion, Site, give_opinion, practice_of
from l3_modeltools.schemas import Practice, Strategy
from ogai.flows.strategy.asked import Asked, practice_name
from ogai.flows.strategy.site import site_for

__all__ = ["Compared", "Side", "compare"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One of the two: its degrees and the like, seconds and bytes of its fullest stage by term."""

    name: str
    facts: dict[str, str]
    seconds: dict[str, float]
    bytes: dict[str, int]
    step_s: float
    peak_bytes: int
    tokens_per_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """Both, and the facts in which they differ."""

    left: Side
    right: Side
    differing: tuple[str, ...]
    device_memory_bytes: int


def compare(left: Path, right: Path, asked: Asked) -> Compared:
    """Price both strategies on one machine, which without `devices` is as large as the larger one's world.

    Raises UsageError for a strategy without a workload, which says nothing of model and batch, UnsatisfiableError for
    a machine that is smaller than a strategy's world.
    """
    strategies = [read_document(file, expect=Strategy) for file in (left, right)]
    site = site_for(asked, *strategies)
    practice = practice_of(practice_name(asked.framework)) if asked.framework else Practice()
    sides = [
        _side(file, strategy, practice, site)
        for file, strategy in zip((left, right), strategies, strict=True)
    ]
    names = dict.fromkeys([*sides[0].facts, *sides[1].facts])
    return Compared(
        left=sides[0],
        right=sides[1],
        differing=tuple(name for name in names if sides[0].facts.get(name) != sides[1].facts.get(name)),
        device_memory_bytes=site.device.memory_bytes,
    )


def _side(file: Path, strategy: Strategy, practice: Practice, site: Site) -> Side:
    opinion: Opinion | None = give_opinion(strategy, practice, site)
    workload = strategy.workload
    if workload is None or opinion is None or opinion.time is None:
        raise UsageError(
            str(file),
            found="a strategy without a workload",
            expected="one that says for which model and batch it is",
            hint="`ogai strategy search … --to FILE` writes such",
        )
    step_s = opinion.time.total
    return Side(
        name=file.name,
        facts=facts_of(strategy),
        seconds=dict(opinion.time.named()),
        bytes=dict(opinion.memory.stages[opinion.memory.fullest].named()),
        step_s=step_s,
        peak_bytes=opinion.memory.peak,
        tokens_per_s=workload.sequence_length * workload.global_batch_size / step_s,
    )


def facts_of(strategy: Strategy) -> dict[str, str]:
    """What a strategy says, in short; layers by stage where they are not even."""
    degrees, recompute = strategy.degrees, strategy.recompute
    facts = {name: f"{getattr(degrees, name)}" for name in ("dp", "tp", "pp", "vp", "cp", "ep")}
    facts["sequence parallel"] = "yes" if degrees.sequence_parallel else "no"
    facts["vocabulary cut"] = "yes" if strategy.vocab_parallel or degrees.tp == 1 else "no"
    facts["micro batch"] = f"{strategy.micro_batch_size}"
    facts["ZeRO stage"] = f"{strategy.zero_stage}"
    facts["schedule"] = strategy.pipeline.schedule
    facts["offset"] = _table(strategy.pipeline.offset) or "even"
    facts["recompute"] = " ".join(filter(None, [recompute.mode, _table(recompute.layers)]))
    return facts


def _table(table: tuple[tuple[int, ...], ...] | None) -> str:
    """A table with runs of equal numbers, and of equal rows, told once: `0 1×14 0`."""
    return _runs([_runs([f"{number}" for number in row], " ", "×") for row in table or ()], " / ", " ×")


def _runs(words: list[str], between: str, times: str) -> str:
    told = [(word, len(list(same))) for word, same in groupby(words)]
    return between.join(f"{word}{times}{many}" if many > 1 else word for word, many in told)
