"""A dry run beside an account by formulas: where they differ, and by how much."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from l3_modeltools.training.dryrun.report import DryRun, StageRun

__all__ = ["ACCOUNTED", "Difference", "StageAccount", "compare"]

ACCOUNTED = {
    "weights": ("weights",),
    "gradients": ("gradients",),
    "optimizer": ("master_and_moments",),
    "activations": ("activations",),
    "logits and passing": ("logits", "communication", "workspace"),
}
"""Terms of the formulas by the name under which both are compared; what no tensor takes is left out.

Logits, what is exchanged and what comes and goes are one: they take turns, and at the fullest moment of a stage
only one of them may be there.
"""

OF_TENSORS = {
    "weights": ("weights",),
    "gradients": ("gradients",),
    "optimizer": ("optimizer",),
    "activations": ("activations",),
    "logits and passing": ("logits", "communication", "other"),
}


class StageAccount(Protocol):
    """Bytes of a pipeline stage, term by term, as `memory_of` gives them."""

    def named(self) -> tuple[tuple[str, int], ...]:
        """Every term with its name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """Something about a stage on which both do not agree."""

    stage: int
    term: str
    """One of `ACCOUNTED`, or `total`."""
    dry: int
    analytic: int
    share: float
    """Of the stage's total by formulas: positive where the dry run has more."""


def compare(dry: DryRun, analytic: Sequence[StageAccount], *, above: float = 0.05) -> tuple[Difference, ...]:
    """Tell what differs by more than a share of a stage's total: the total, and the terms it comes from.

    The stages of both must be the same ones; ValueError where they are not as many.
    """
    pairs = zip(dry.stages, analytic, strict=True)
    found = (one for stage, account in pairs for one in _differences(stage, dict(account.named())))
    return tuple(one for one in found if abs(one.share) > above)


def _differences(stage: StageRun, account: dict[str, int]) -> Iterator[Difference]:
    tensors = {str(name): size for name, size in stage.peak.named()}
    total = sum(account[name] for names in ACCOUNTED.values() for name in names)
    yield _difference(stage, "total", stage.peak.total, total, total)
    for term, names in ACCOUNTED.items():
        mine = sum(tensors[name] for name in OF_TENSORS[term])
        yield _difference(stage, term, mine, sum(account[name] for name in names), total)


def _difference(stage: StageRun, term: str, dry: int, analytic: int, total: int) -> Difference:
    return Difference(
        stage=stage.stage, term=term, dry=dry, analytic=analytic, share=(dry - analytic) / max(1, total)
    )
