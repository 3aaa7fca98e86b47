"""`ogai cluster list`: the clusters that are kept on this machine."""

import click

from ogai.render import Output, emit, output_option

__all__ = ["list_"]

EPILOG = """\b
Examples:
  ogai cluster list
  ogai cluster list -o json | jq -r '.[] | select(.current) | .name'

Nobody is asked: it is what the last runs and checks left. `ogai cluster use NAME` chooses another.
"""


@click.command("list", epilog=EPILOG)
@output_option
def list_(output: Output) -> None:
    """List the clusters that were brought up from here; `*` marks the current one."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.kept import print_kept

    emit(flow.list_clusters(), output, print_kept)
