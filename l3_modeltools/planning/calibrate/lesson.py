"""What measured runs can teach a calibration: how many there are, of how many kinds, and which figures they touch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools.planning.calibrate.runs import MeasuredRun
from l3_modeltools.planning.calibrate.score import score_runs
from l3_modeltools.schemas import Calibration

__all__ = ["BOUNDS", "Lesson", "lesson_of"]

BOUNDS: Mapping[str, tuple[float, float]] = {
    "matmul_share": (0.6, 1.0),
    "matmul_edge": (1.0, 256.0),
    "matmul_tail": (10.0, 2000.0),
    "matmul_depth": (1.0, 1000.0),
    "matmul_gap_s": (1e-7, 5e-5),
    "early_attention_forward": (0.2, 1.0),
    "early_attention_backward": (0.2, 1.0),
    "memory_share": (0.4, 0.95),
    "passes_forward": (2.0, 20.0),
    "passes_backward": (1.0, 3.0),
    "unfused_passes": (1.0, 3.0),
    "launch_s": (1e-6, 5e-5),
    "kernels_backward": (20.0, 80.0),
    "link_share": (0.3, 0.85),
    "link_latency_s": (1e-6, 1e-4),
    "link_hop_s": (1e-7, 1e-5),
    "network_share": (0.3, 0.95),
    "network_latency_s": (1e-6, 1e-4),
    "hidden_share": (0.05, 1.0),
    "shard_passes": (1.0, 30.0),
    "straggler_share": (1e-4, 0.02),
    "step_s": (1e-4, 0.1),
}
"""What is fitted, and between which figures that make sense."""

FELT = 1e-6
"""Share of a step from which a figure makes a difference to it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lesson:
    """What runs can teach. Rows alike in everything but what was measured are of one kind."""

    runs: tuple[MeasuredRun, ...]
    """Those whose time was measured and can be priced."""
    kinds: int
    touched: tuple[str, ...]
    """Figures within whose bounds the seconds of some run change."""
    untouched: tuple[str, ...]

    @property
    def enough(self) -> bool:
        """Whether there are at least as many kinds of runs as figures that they touch."""
        return self.kinds >= len(self.touched)


def lesson_of(runs: Sequence[MeasuredRun], devices: Mapping[str, Device], start: Calibration) -> Lesson:
    """Say what runs teach a calibration that begins with `start`.

    Raises UnsatisfiableError where none of them was measured and can be priced, saying how many were not and why.
    """
    scored = score_runs(runs, devices, start)
    measured = tuple(one.run for one in scored if one.step_error is not None)
    if not measured:
        refused, doubted = (
            sum(getattr(one, name) is not None for one in scored) for name in ("refused", "doubted")
        )
        told = {
            "without a time": len(scored) - refused - doubted,
            "refused": refused,
            "impossibly fast": doubted,
        }
        parts = ", ".join(f"{many} {what}" for what, many in told.items() if many)
        raise UnsatisfiableError(
            "calibration",
            found=f"no measured run ({parts or 'none at all'})",
            expected="one or more, to fit to",
        )
    touched = {name for name in BOUNDS if _felt(name, measured, devices, start)}
    return Lesson(
        runs=measured,
        kinds=len({(run.device, run.devices, run.framework, run.settings) for run in measured}),
        touched=tuple(name for name in BOUNDS if name in touched),
        untouched=tuple(name for name in BOUNDS if name not in touched),
    )


def _felt(name: str, runs: Sequence[MeasuredRun], devices: Mapping[str, Device], start: Calibration) -> bool:
    """Whether some run would take longer or shorter with the least or the largest figure that makes sense."""
    least, most = (
        score_runs(runs, devices, msgspec.structs.replace(start, **{name: bound})) for bound in BOUNDS[name]
    )
    pairs = zip(least, most, strict=True)
    return any(abs((one.step_s or 0.0) / (other.step_s or 1.0) - 1) > FELT for one, other in pairs)
