"""`ogai lab list`: what there is."""

import click

from ogai.commands.epilog import examples
from ogai.render import Output, emit, output_option

__all__ = ["list_"]


@click.command("list", epilog=examples("ogai lab list", "ogai lab list -o json | jq '.[].hosts'"))
@output_option
def list_(output: Output) -> None:
    """List the labs and their hosts, whether they are on, and what they are broken by."""
    from ogai.flows import lab as flow
    from ogai.render.lab import print_labs

    emit(flow.probe(), output, print_labs)
