"""`ogai cluster status`: how a cluster stands, as far as is known here."""

import click

from ogai.commands.cluster.arguments import name_option
from ogai.render import Output, emit, output_option

__all__ = ["status"]

EPILOG = """\b
Examples:
  ogai cluster status
  ogai cluster status --name pod1 -o json | jq -r '.nodes[].trouble'

Nobody is asked: `ogai cluster diff` looks at the nodes, `ogai cluster check` judges them.
"""


@click.command(epilog=EPILOG)
@name_option
@output_option
def status(name: str | None, output: Output) -> None:
    """Show how the runs so far left each node, and what to do next."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.status import print_status

    emit(flow.status(name), output, print_status)
