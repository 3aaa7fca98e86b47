"""`ogai node facts`: what nodes are made of."""

from pathlib import Path

import click

from ogai.commands.node.arguments import nodes_options, refuse_beside_bundle
from ogai.render import Output, emit, output_option

__all__ = ["facts"]

EPILOG = """\b
Examples:
  ogai node facts
  ogai node facts -o json | jq .accelerators
  ogai node facts --hosts gpu[01-64] -o json | jq '.[].accelerators'
  ogai node facts --cluster pod.yaml
  ogai node facts --bundle support.tar.gz

What could not be read is listed with the reason; its facts are unknown, not zero. Named nodes are a list in
JSON and YAML, this machine alone is one document. Exit code 4: a node could not be looked at.
"""


@click.command(epilog=EPILOG)
@nodes_options
@click.option(
    "--bundle", metavar="DIR|TAR", type=click.Path(path_type=Path), help="Read a support bundle instead."
)
@output_option
def facts(
    nodes: str | None,
    hosts: str | None,
    cluster: Path | None,
    sudo: bool,
    bundle: Path | None,
    output: Output,
) -> None:
    """Show processors, memory, disks, network, fabric and accelerators of this machine or of many nodes."""
    from ogai.flows import node as flow
    from ogai.render.node.facts import print_facts
    from ogai.render.node.looking import looking, tell_left
    from ogai.render.node.table import print_nodes

    if bundle is not None:
        refuse_beside_bundle(nodes=nodes, hosts=hosts, cluster=cluster, sudo=sudo)
        found, left = flow.facts_in(bundle)
        tell_left(left)
    else:
        with looking("looked at") as looked:
            found = flow.facts(nodes, hosts=hosts, cluster=cluster, sudo=sudo, on_looked=looked)
    alone = nodes is None and hosts is None and cluster is None and len(found) == 1
    if alone:
        emit(found[0], output, print_facts)
    else:
        emit(found, output, print_nodes)
    flow.raise_for_lost(found)
