"""`ogai cluster diff`: what is otherwise than wished."""

from pathlib import Path

import click

from ogai.commands.cluster.arguments import ask_option, name_option, password_of
from ogai.render import Output, emit, output_option

__all__ = ["diff"]

EPILOG = """\b
Examples:
  ogai cluster diff                   how the current cluster's nodes deviate
  ogai cluster diff pod.yaml          what this document would change
  ogai cluster diff --limit gpu07 -o json

Nothing is changed. `ogai cluster up` brings everything back. Exit code 4: a node could not be looked at.
"""


@click.command(epilog=EPILOG)
@click.argument("file", metavar="[FILE|NAME]", required=False, type=click.Path(path_type=Path))
@click.option("--limit", metavar="NODESET", help="Only these nodes, and the controller.")
@name_option
@ask_option
@output_option
def diff(
    file: Path | None, limit: str | None, name: str | None, ask_sudo_password: bool, output: Output
) -> None:
    """Compare what is wished with what was done, and with what is found on the nodes now."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.deviations import print_deviations
    from ogai.render.node.looking import looking

    with looking("looked at") as looked:
        found = flow.diff(
            file, name=name, limit=limit, password=password_of(ask=ask_sudo_password), on_node=looked
        )
    emit(found, output, print_deviations)
    flow.raise_for_unseen(found)
