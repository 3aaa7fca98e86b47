"""Run a strategy dry, and say whether it fits."""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UnsatisfiableError, UsageError
from l0_infra.core.units import format_bytes
from l3_modeltools import Difference, DryRun, DryRunEngine, Witness, bear_witness, practice_of
from l3_modeltools.schemas import Strategy
from ogai.flows.device import show

__all__ = ["Dried", "dryrun", "require_room"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Dried:
    """A dry run beside the formulas, and whether the fullest stage fits the device."""

    framework: str
    """Whose way to compute was taken."""
    run: DryRun
    differences: tuple[Difference, ...]
    """Where the formulas say something else, beyond 5 % of a stage's total."""
    by_formulas: tuple[dict[str, int], ...]
    """Bytes by pipeline stage and term."""
    needed_bytes: tuple[int, ...]
    """What an accelerator of each stage must have: tensors, and what no tensor takes."""
    device: str | None
    device_memory_bytes: int | None
    missing_bytes: int
    """Beyond the device, on the fullest stage; 0 if it fits or none was named."""
    fullest: int
    """The stage that needs most."""
    wall_s: float


def dryrun(
    file: Path, *, framework: str = "ogai", device: str | None = None, engine: DryRunEngine = "torch"
) -> Dried:
    """Run the strategy document `file` dry, computing as the trainer `framework` does.

    Raises UnsatisfiableError for a strategy that is illegal, has no workload or that the engine cannot build,
    UsageError for a device without a data sheet, and for our own trainer computing as another.
    """
    if engine == "trainer" and framework != "ogai":
        found = f"`{framework}` with our own trainer"
        raise UsageError("--framework", found=found, expected="`ogai`, or another --with")
    strategy = read_document(file, expect=Strategy)
    sheet = show(device) if device else None
    began = perf_counter()
    witness = bear_witness(
        strategy,
        practice_of(framework),
        engine=engine,
        device_memory_bytes=sheet.memory_bytes if sheet else None,
    )
    return _told(witness, framework, sheet.name if sheet else None, perf_counter() - began)


def require_room(dried: Dried) -> None:
    """Raise UnsatisfiableError where the fullest stage does not fit the device."""
    if not dried.missing_bytes:
        return
    peak = dried.run.stages[dried.fullest].peak
    largest = max(peak.named(), key=lambda term: term[1])
    raise UnsatisfiableError(
        f"stage {dried.fullest}",
        found=f"{format_bytes(dried.needed_bytes[dried.fullest])}",
        expected=f"{format_bytes(dried.device_memory_bytes or 0)}, what {dried.device} has, or less:"
        f" {format_bytes(dried.missing_bytes)} too much",
        hint=f"most of it are {largest[0]}, {format_bytes(largest[1])}; {HINTS[largest[0]]}",
    )


HINTS = {
    "weights": "more tp or pp cuts them, or zero_stage 3",
    "gradients": "more tp or pp cuts them, or zero_stage 2",
    "optimizer": "zero_stage 1 shares it among copies, more tp or pp cuts it",
    "activations": "recompute.mode `full`, a smaller micro_batch_size, more tp or cp keep less",
    "logits": "a smaller micro_batch_size or more tp makes them smaller",
    "communication": "smaller layers on each rank, by more tp, exchange less at a time",
    "other": "a smaller micro_batch_size or more tp makes it smaller",
}


def _told(witness: Witness, framework: str, device: str | None, wall_s: float) -> Dried:
    return Dried(
        framework=framework,
        run=witness.run,
        differences=witness.differences,
        by_formulas=tuple(dict(stage.named()) for stage in witness.analytic),
        needed_bytes=witness.needed,
        device=device,
        device_memory_bytes=witness.device_memory_bytes,
        missing_bytes=witness.missing,
        fullest=witness.fullest,
        wall_s=round(wall_s, 3),
    )
