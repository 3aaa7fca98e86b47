"""`ogai strategy dryrun`: a step of a strategy without computing it, and without a cluster."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ogai.commands.epilog import examples
from ogai.commands.strategy.frameworks import PRACTISED
from ogai.render import Output, emit, output_option

if TYPE_CHECKING:
    from l3_modeltools import DryRunEngine

__all__ = ["dryrun"]


@click.command(
    epilog=examples(
        "ogai strategy dryrun strategy.yaml --framework megatron --device h100-sxm-80",
        "ogai strategy dryrun strategy.yaml -o json | jq '.run.stages[0].traffic'",
        "ogai strategy dryrun small.yaml --with trainer",
    )
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--framework",
    type=click.Choice(PRACTISED),
    metavar="NAME",
    default="ogai",
    show_default=True,
    help="Whose trainer it is to compute as.",
)
@click.option("--device", help="Data sheet of the accelerator it is to fit: `ogai device list`.")
@click.option(
    "--with",
    "engine",
    type=click.Choice(["torch", "trainer", "mindspore"]),
    default="torch",
    show_default=True,
    help="The model cut by hand; our own trainer, on one rank; MindSpore's simulation (needs CANN).",
)
@output_option
def dryrun(file: Path, framework: str, device: str | None, engine: "DryRunEngine", output: Output) -> None:
    """Build one rank of each pipeline stage of the strategy document FILE, and run a step without computing it.

    Shows the memory that its tensors take at the fullest moment, what it exchanges, and where that differs from the
    formulas that plan with. Needs a workload in the strategy, and no accelerator: any number of ranks takes as long.
    """
    from ogai.flows import strategy as flow
    from ogai.render.strategy.dryrun import print_dry_run

    found = flow.dryrun(file, framework=framework, device=device, engine=engine)
    emit(found, output, print_dry_run)
    flow.require_room(found)
