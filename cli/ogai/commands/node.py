"""`ogai node`: one machine."""

import click

from ogai.render import Output, emit, output_option

__all__ = ["node"]

EPILOG = """\b
Examples:
  ogai node facts
  ogai node facts -o json | jq .accelerators

What could not be read is listed with the reason; its facts are unknown, not zero.
"""


@click.group(epilog=EPILOG)
def node() -> None:
    """What this machine is made of."""


@node.command(epilog=EPILOG)
@output_option
def facts(output: Output) -> None:
    """Show processors, memory, disks, network and accelerators of this machine."""
    from ogai.flows import node as flow
    from ogai.render.node import print_facts

    emit(flow.facts(), output, print_facts)
