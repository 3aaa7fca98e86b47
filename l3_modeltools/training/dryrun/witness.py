"""Both accounts of a step's memory side by side: by the tensors of a dry run, and by formulas."""

from dataclasses import dataclass
from typing import Literal

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import StageMemory, memory_of
from l3_modeltools.schemas import Practice, Strategy
from l3_modeltools.training.dryrun.differences import Difference, compare
from l3_modeltools.training.dryrun.mindspore import refuse_mindspore
from l3_modeltools.training.dryrun.report import DryRun

__all__ = ["DryRunEngine", "Witness", "bear_witness", "witness_of"]

DryRunEngine = Literal["torch", "trainer", "mindspore"]
"""`torch`: the model cut by hand, any strategy; `trainer`: our own trainer's model and steps, one rank; `mindspore`:
MindSpore's simulation, which is refused for what it lacks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Witness:
    """A dry run, the formulas' account of the same setting, and where they differ."""

    run: DryRun
    analytic: tuple[StageMemory, ...]
    """By pipeline stage."""
    differences: tuple[Difference, ...]
    """Beyond 5 % of a stage's total."""
    needed: tuple[int, ...]
    """Bytes that an accelerator of each stage must have: the dry run's tensors, and by formula what no tensor takes."""
    device_memory_bytes: int | None
    """None: nobody asked whether it fits."""

    @property
    def missing(self) -> int:
        """Bytes that the fullest stage needs beyond the device; 0 if it fits or no device was named."""
        return 0 if self.device_memory_bytes is None else max(0, max(self.needed) - self.device_memory_bytes)

    @property
    def fullest(self) -> int:
        """The stage that needs most, the first of several."""
        return max(range(len(self.needed)), key=lambda stage: self.needed[stage])


def bear_witness(
    strategy: Strategy,
    practice: Practice,
    *,
    engine: DryRunEngine = "torch",
    device_memory_bytes: int | None = None,
) -> Witness:
    """Run a strategy dry for its workload, computing as a trainer does, and set it beside the formulas.

    Raises UnsatisfiableError for a strategy without a workload, one that is illegal or that the engine cannot build,
    and where what the engine needs is not installed.
    """
    workload = strategy.workload
    if workload is None:
        raise UnsatisfiableError(
            "strategy.workload",
            found="nothing",
            expected="the model, the length of sequences and how many a step takes",
            hint="`ogai schema show strategy` says how it is written",
        )
    setting = Setting(
        architecture=workload.architecture,
        strategy=strategy,
        sequence_length=workload.sequence_length,
        global_batch_size=workload.global_batch_size,
        practice=practice,
    )
    return witness_of(setting, engine=engine, device_memory_bytes=device_memory_bytes)


def witness_of(
    setting: Setting, *, engine: DryRunEngine = "torch", device_memory_bytes: int | None = None
) -> Witness:
    """Run a setting dry and set it beside the formulas; errors are those of `bear_witness`."""
    run = _run(setting, engine)
    analytic = memory_of(setting).stages
    pairs = zip(run.stages, analytic, strict=True)
    return Witness(
        run=run,
        analytic=analytic,
        differences=compare(run, analytic),
        needed=tuple(stage.peak.total + one.fragmentation + one.context for stage, one in pairs),
        device_memory_bytes=device_memory_bytes,
    )


def _run(setting: Setting, engine: DryRunEngine) -> DryRun:
    try:
        if engine == "mindspore":
            refuse_mindspore()
        if engine == "trainer":
            from l3_modeltools.training.dryrun.trainer import dry_run_trainer

            return dry_run_trainer(setting)
        from l3_modeltools.training.dryrun.run import dry_run

        return dry_run(setting)
    except ModuleNotFoundError as error:
        raise UnsatisfiableError(
            f"a dry run with `{engine}`",
            found=f"no Python module `{error.name}`",
            expected="it to be installed",
            hint="`ogai doctor` shows what is missing and the command that brings it",
        ) from error
