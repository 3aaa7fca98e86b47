"""A dry run as tables: memory by pipeline stage, what is exchanged, and where the formulas say something else."""

from l0_infra.core.units import format_bytes
from l3_modeltools import StageRun
from ogai.flows.strategy import Dried
from ogai.render.strategy.losses import say
from ogai.render.table import Column, print_heading, print_table

__all__ = ["print_dry_run"]

GIB = 2**30
TITLES = {
    "weights": "WEIGHTS",
    "gradients": "GRADS",
    "optimizer": "OPTIM",
    "activations": "ACTIVS",
    "logits": "LOGITS",
    "communication": "COMM",
    "other": "OTHER",
}


def print_dry_run(dried: Dried) -> None:
    """Print tables on stdout; how long it took, differences and whether it fits go to stderr."""
    run = dried.run
    print_heading(
        f"{run.world_size:,} ranks, {run.microbatches:,} micro batches, computed as {dried.framework} does"
    )
    print()
    print_heading("GiB of a rank's tensors at its fullest moment; OFF: against the formulas")
    _print_stages(dried)
    _print_exchanges(run.stages[dried.fullest])
    _say_differences(dried)
    if dried.device and not dried.missing_bytes:
        need, room = dried.needed_bytes[dried.fullest], dried.device_memory_bytes or 0
        say(f"fits {dried.device}: stage {dried.fullest} needs {format_bytes(need)} of {format_bytes(room)}")
    say(f"took {dried.wall_s:.1f} s")


def _print_stages(dried: Dried) -> None:
    def analytic(stage: StageRun) -> int:
        beside = ("fragmentation", "context")
        return sum(size for name, size in dried.by_formulas[stage.stage].items() if name not in beside)

    def off(stage: StageRun) -> str:
        return f"{stage.peak.total / max(1, analytic(stage)) - 1:+.1%}"

    columns = [
        Column[StageRun](title="STAGE", value=lambda one: str(one.stage), align="right"),
        Column[StageRun](title="LAYERS", value=lambda one: str(one.layers), align="right"),
        *(_term(name, title) for name, title in TITLES.items()),
        Column[StageRun](title="TOTAL", value=lambda one: _gib(one.peak.total), align="right"),
        Column[StageRun](title="OFF", value=off, align="right"),
    ]
    print_table([column for column in columns if not _is_empty(column, dried)], dried.run.stages)


def _term(name: str, title: str) -> Column[StageRun]:
    return Column[StageRun](title=title, value=lambda one: _gib(getattr(one.peak, name)), align="right")


def _is_empty(column: Column[StageRun], dried: Dried) -> bool:
    """Whether a term is nothing on all stages."""
    return all(column.value(stage) == _gib(0) for stage in dried.run.stages)


def _gib(size: int) -> str:
    """Five characters of less than 1000."""
    return f"{size / GIB:.2f}" if size < 100 * GIB else f"{size / GIB:.1f}"


def _print_exchanges(stage: StageRun) -> None:
    print()
    print_heading(f"stage {stage.stage} needs most, in: {stage.moment}")
    print(f"a step of it: {stage.operator_calls:,} operators, {stage.flops / 1e12:,.1f} TFLOP")
    if not stage.traffic:
        return
    print_table(
        (
            Column(title="EXCHANGE", value=lambda one: one.kind.replace("_", "-")),
            Column(title="AMONG", value=lambda one: f"{one.ranks:,} {one.group} ranks"),
            Column(title="CALLS", value=lambda one: f"{one.calls:,}", align="right"),
            Column(title="BYTES", value=lambda one: format_bytes(one.bytes), align="right"),
        ),
        stage.traffic,
    )


def _say_differences(dried: Dried) -> None:
    say("")
    if not dried.differences:
        say("the formulas agree within 5 % on every stage and term")
        return
    say(f"the formulas say something else, beyond 5 % of a stage ({len(dried.differences)}):")
    for one in dried.differences:
        dry, analytic = format_bytes(one.dry), format_bytes(one.analytic)
        say(f"  stage {one.stage}, {one.term}: {dry} here, {analytic} by formula ({one.share:+.1%})")
