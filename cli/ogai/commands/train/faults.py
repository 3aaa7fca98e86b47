"""`ogai train faults`: what went wrong in a run, or what the log of any trainer means."""

import time
from collections.abc import Sequence

import click

from l0_infra.core.errors import UsageError
from l3_modeltools.schemas import TrainingFault
from ogai.commands.epilog import examples
from ogai.commands.train.arguments import RunId
from ogai.commands.words import FileName
from ogai.flows import train as flow
from ogai.render import Output, emit, output_option
from ogai.render.train.faults import print_fault, print_faults, print_meaning

__all__ = ["faults"]


@click.command(
    epilog=examples(
        "ogai train faults tiny-llama-1",
        "ogai train faults tiny-llama-1 2",
        "ogai train faults --log train.log",
        "kubectl logs trainer-0 | ogai train faults --log -",
    )
)
@click.argument("run_id", metavar="[RUN]", required=False, type=RunId())
@click.argument("number", metavar="[NUMBER]", required=False, type=click.IntRange(min=1))
@click.option(
    "--log", metavar="FILE", type=FileName(), help="Read a log instead of a run; `-` is standard input."
)
@output_option
def faults(run_id: str | None, number: int | None, log: str | None, output: Output) -> None:
    """Show the faults of a run: what, when, who, what was done, what it cost; with NUMBER one of them in detail.

    With --log say what the log of any trainer means.
    """
    if log is not None and run_id is None:
        emit(flow.read_meaning(log), output, lambda meaning: print_meaning(meaning, flow.own_errors()))
    elif run_id is not None and log is None:
        show_run(run_id, number, output)
    else:
        raise UsageError(
            "ogai train faults",
            found="neither of them" if run_id is None else "both",
            expected="a RUN or --log FILE",
            hint="`ogai train list` names the runs",
        )


def show_run(run_id: str, number: int | None, output: Output) -> None:
    told = flow.faults(run_id)
    if number is not None:
        emit(one_of(told, run_id, number), output, show_one)
    elif output == "table" and not told:
        click.echo(f"run {run_id}: no faults", err=True)
    else:
        emit(told, output, show_all)


def one_of(told: Sequence[TrainingFault], run_id: str, number: int) -> TrainingFault:
    """Return the fault of this number. Raises UsageError where there is none."""
    for fault in told:
        if fault.fault_id == number:
            return fault
    raise UsageError(
        f"run {run_id}",
        found=f"no fault {number}",
        expected="the number of one of its faults",
        hint=f"ogai train faults {run_id}",
    )


def show_all(told: Sequence[TrainingFault]) -> None:
    print_faults(told, time.time())
    if len(told) == 1:
        click.echo()
        show_one(told[0])
    else:
        click.echo(f"one of them in detail: ogai train faults {told[0].run} NUMBER", err=True)


def show_one(fault: TrainingFault) -> None:
    print_fault(fault, flow.explain(fault), flow.own_errors(), time.time())
