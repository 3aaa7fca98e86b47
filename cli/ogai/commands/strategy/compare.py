"""`ogai strategy compare`: two strategies side by side."""

from pathlib import Path
from typing import Any

import click

from ogai.commands.epilog import examples
from ogai.commands.strategy.asking import FILE, machine_options
from ogai.render import Output, emit, output_option

__all__ = ["compare"]


@click.command(epilog=examples("ogai strategy compare ours.yaml theirs.yaml --device h100-sxm-80"))
@click.argument("left", type=FILE)
@click.argument("right", type=FILE)
@click.option(
    "--devices", type=click.IntRange(1), help="Accelerators; without it as many as the larger needs."
)
@machine_options
@output_option
def compare(left: Path, right: Path, output: Output, **asked: Any) -> None:
    """Show in what the strategies LEFT and RIGHT differ, and what that does to a step's time and memory."""
    from ogai.flows import strategy as flow
    from ogai.render.strategy.compare import print_compared

    wanted = flow.Asked(model="", sequence_length=1, global_batch_size=1, **asked)
    emit(flow.compare(left, right, wanted), output, print_compared)
