"""How a run took each fault that was done to it on purpose: noticed, as what, after how long, at what loss."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from l0_infra.core.documents import Count, Part, Seconds, Text
from l0_infra.core.units import format_count
from l3_modeltools.resilience.drill.kinds import Trouble
from l3_modeltools.resilience.drill.orders import Fired, moment_of
from l3_modeltools.resilience.drill.plan import PlannedBlow
from l3_modeltools.runs import Metric
from l3_modeltools.schemas import FaultAction, FaultClass, TrainingFault

__all__ = ["DrillReport", "DrillResult", "DrillVerdict", "Seen", "judge_blow", "summarize_drill"]

DrillVerdict = Literal["right", "wrong", "missed", "not_fired"]
"""Noticed as what it was; as something else; not within its time; it never came to happen."""


class DrillResult(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fault done on purpose, and what the run made of it."""

    id: Annotated[Count, Meta(description="Number of its order in the run; 0: none was given.")]
    trouble: Annotated[Trouble, Meta(description="Kind of drill.")]
    what: Annotated[Text, Meta(description="What was done, in one sentence.")]
    step: Annotated[Count | None, Meta(description="Step it happened in; null: it did not happen.")] = None
    verdict: Annotated[DrillVerdict, Meta(description="How it was noticed.")]
    noticed_as: Annotated[FaultClass | None, Meta(description="Class of the fault told; null: none.")] = None
    fault_id: Annotated[Count | None, Meta(description="Number of that fault in the run.")] = None
    noticed_after_s: Annotated[Seconds | None, Meta(description="From its happening to its notice.")] = None
    resumed_after_s: Annotated[
        Seconds | None, Meta(description="From its happening to the next new step; null: none came.")
    ] = None
    redone_steps: Annotated[Count, Meta(description="Steps that were done again.")] = 0
    taken: Annotated[FaultAction | None, Meta(description="What was done about it.")] = None
    remark: Annotated[str, Meta(description="What else is to be said.")] = ""


class DrillReport(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole drill of one run."""

    run: Annotated[Text, Meta(description="Id of the run.")]
    seed: Annotated[int, Meta(description="Seed of the plan.")]
    results: Annotated[tuple[DrillResult, ...], Meta(description="In the order they were done.")]
    planned: Annotated[Count, Meta(description="How many faults the plan had.")]

    @property
    def holds(self) -> bool:
        """Whether everything planned was done and noticed as what it was."""
        right = all(
            result.verdict == "right" and result.resumed_after_s is not None for result in self.results
        )
        return right and len(self.results) == self.planned


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What the files of a run tell since an order was given."""

    fired: tuple[Fired, ...]
    """Of this order, in order."""
    faults: tuple[TrainingFault, ...]
    """New ones, by number."""
    told: tuple[Metric, ...]
    """Every step told since the run began, in the order of the file."""
    lasts_until: float | None = None
    """When a condition that lasts was lifted, in seconds since the epoch: no step before counts as going on."""


def judge_blow(blow: PlannedBlow, number: int, seen: Seen) -> DrillResult:
    """Judge one fault by what was seen since its order was given."""
    base = DrillResult(id=number, trouble=blow.trouble, what=blow.describe(), verdict="not_fired")
    if not seen.fired:
        return base
    first = seen.fired[0]
    resumed_at = _resumed_at(
        [metric for metric in seen.told if (metric.at or 0.0) < first.at or _counts(metric, seen)],
        first,
        saving=moment_of(blow.order) in ("save", "write"),
    )
    fault = noticed(blow, seen.faults)
    right = fault is not None and fault.fault_class in blow.kind.expected
    return msgspec.structs.replace(
        base,
        step=first.step,
        verdict="missed" if fault is None else "right" if right else "wrong",
        noticed_as=fault.fault_class if fault else None,
        fault_id=fault.fault_id if fault else None,
        noticed_after_s=max(0.0, fault.detected_at - first.at) if fault else None,
        resumed_after_s=None if resumed_at is None else resumed_at - first.at,
        redone_steps=_redone(seen.told, since=first.at),
        taken=fault.taken if fault else None,
        remark=first.text,
    )


def _resumed_at(told: Sequence[Metric], fired: Fired, *, saving: bool) -> float | None:
    """Return when the first step was told that had not been done when a blow fell; a save follows its step."""
    done = max((metric.step for metric in told if (metric.at or 0.0) < fired.at), default=0)
    floor = max(done, fired.step if saving else fired.step - 1)
    return next(
        (metric.at for metric in told if metric.step > floor and (metric.at or 0.0) >= fired.at), None
    )


def _counts(metric: Metric, seen: Seen) -> bool:
    return seen.lasts_until is None or (metric.at or 0.0) >= seen.lasts_until


def _redone(told: Sequence[Metric], *, since: float) -> int:
    """Count the steps that were told again."""
    seen: set[int] = set()
    again: set[int] = set()
    for metric in told:
        if metric.step in seen and (metric.at or 0.0) >= since:
            again.add(metric.step)
        seen.add(metric.step)
    return len(again)


def noticed(blow: PlannedBlow, faults: Sequence[TrainingFault]) -> TrainingFault | None:
    """Choose the fault that tells of a blow: of its own class, else the first there is."""
    right = (fault for fault in faults if fault.fault_class in blow.kind.expected)
    return next(right, faults[0] if faults else None)


def summarize_drill(report: DrillReport) -> str:
    """Say how a drill went, in one sentence."""
    verdicts = Counter(result.verdict for result in report.results)
    noticed_well = f"{verdicts['right']} of {report.planned} noticed as what they were"
    rest = [
        f"{verdicts['wrong']} misjudged" if verdicts["wrong"] else "",
        f"{verdicts['missed']} not noticed" if verdicts["missed"] else "",
        f"{verdicts['not_fired']} never happened" if verdicts["not_fired"] else "",
        f"{undone} not done" if (undone := report.planned - len(report.results)) else "",
    ]
    redone = sum(result.redone_steps for result in report.results)
    return ", ".join(filter(None, [noticed_well, *rest, f"{format_count(redone, 'step')} done again"]))
