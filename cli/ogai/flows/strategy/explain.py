"""Where every number of a strategy's plan comes from, and its step turn by turn."""

from dataclasses import dataclass, replace
from pathlib import Path

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l3_modeltools import (
    Derivation,
    Timeline,
    explain_stage,
    explain_step,
    practice_of,
    setting_of,
    timeline_of,
)
from l3_modeltools.schemas import Practice, Strategy
from ogai.flows.strategy.asked import Asked, practice_name
from ogai.flows.strategy.site import site_for

__all__ = ["Explained", "Waiting", "explain"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """One pipeline rank over the step: what share of it the rank waits, and what it holds at most."""

    idle: float
    held: int
    """Micro batches, by virtual stage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Explained:
    """The derivations that were asked for, and what the pictures are drawn from."""

    strategy: Strategy
    device: str
    devices: int
    device_memory_bytes: int
    step: Derivation | None
    """Seconds; None where only one stage's bytes were asked for."""
    stages: tuple[Derivation, ...]
    """Bytes, by pipeline stage, from `first_stage` on."""
    first_stage: int
    layers: tuple[int, ...]
    ranks: tuple[Waiting, ...]
    turns_s: float
    """The step worked out turn by turn, without what comes after all turns: exchanges of copies, the optimizer."""


def explain(
    file: Path, asked: Asked, *, term: str | None = None, stage: int | None = None
) -> tuple[Explained, Timeline]:
    """Derive the seconds and bytes of a strategy; the machine is as large as its world where nothing else is said.

    Raises UsageError for a strategy without a workload, for a term that there is none of, and for such a stage,
    UnsatisfiableError for a machine that is smaller than the strategy's world.
    """
    strategy = read_document(file, expect=Strategy)
    practice = practice_of(practice_name(asked.framework)) if asked.framework else Practice()
    setting = setting_of(strategy, practice)
    if setting is None:
        raise UsageError(
            str(file),
            found="a strategy without a workload",
            expected="one that says for which model and batch it is",
            hint="`ogai strategy search … --to FILE` writes such",
        )
    site = site_for(asked, strategy)
    meant = _stages(stage, strategy.degrees.pp)
    step, stages = explain_step(setting, site), tuple(explain_stage(setting, one) for one in meant)
    timeline = timeline_of(setting, site)
    explained = Explained(
        strategy=strategy,
        device=site.device.name,
        devices=site.machine.devices,
        device_memory_bytes=site.device.memory_bytes,
        step=step,
        stages=stages,
        first_stage=meant.start,
        layers=tuple(sum(row[one] for row in setting.stages) for one in meant),
        turns_s=timeline.length,
        ranks=tuple(
            Waiting(idle=timeline.idle(rank), held=timeline.held(rank)) for rank in range(strategy.degrees.pp)
        ),
    )
    return (_only(explained, term) if term else explained), timeline


def _stages(stage: int | None, pp: int) -> range:
    if stage is None:
        return range(pp)
    if not 0 <= stage < pp:
        expected = f"a pipeline stage from 0 to {pp - 1}" if pp > 1 else "0: there is one stage"
        raise UsageError("--stage", found=f"{stage}", expected=expected)
    return range(stage, stage + 1)


def _only(explained: Explained, term: str) -> Explained:
    """Keep the one term that is meant, of seconds or of bytes."""
    step = explained.step.find(term) if explained.step else None
    stages = tuple(found for one in explained.stages if (found := one.find(term)) is not None)
    if step is None and not stages:
        known = [part.name for one in (explained.step, *explained.stages[:1]) if one for part in one.parts]
        raise UsageError("--term", found=f"`{term}`", expected=f"one of {', '.join(known)}, or a part of one")
    return replace(explained, step=step, stages=stages)
