"""`ogai cluster drain` and `undrain`: nodes out of work, with an owner and a reason."""

from pathlib import Path

import click

from ogai.render import Output, emit, output_option

__all__ = ["drain", "undrain"]

CLUSTER = click.option(
    "--cluster", metavar="FILE", type=click.Path(path_type=Path), required=True, help="Cluster document."
)

EPILOG_DRAIN = """\b
Examples:
  ogai cluster drain n[07-08] --cluster pod.yaml --reason "power supply is swapped"

What runs there goes on to its end; nothing new starts. A drain of `ogai cluster check` is taken over, another's is
kept as it is.
"""

EPILOG_UNDRAIN = """\b
Examples:
  ogai cluster undrain n[07-08] --cluster pod.yaml
  ogai cluster undrain n09 --cluster pod.yaml --owner gate    what a check drained, before it is checked anew

Exit code 3: another owner drained one of the nodes, and none is given back.
"""


@click.command(epilog=EPILOG_DRAIN)
@click.argument("nodes", metavar="NODESET")
@CLUSTER
@click.option("--reason", required=True, help="Why, for who finds the node drained.")
@click.option("--owner", help="Who may lift it; else the account that asks.")
@output_option
def drain(nodes: str, cluster: Path, reason: str, owner: str | None, output: Output) -> None:
    """Let nodes finish what they run and take nothing new."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.drains import print_changes

    emit(flow.drain(nodes, cluster=cluster, reason=reason, owner=owner), output, print_changes)


@click.command(epilog=EPILOG_UNDRAIN)
@click.argument("nodes", metavar="NODESET")
@CLUSTER
@click.option("--owner", help="Whose drain it is; else that of the account that asks.")
@output_option
def undrain(nodes: str, cluster: Path, owner: str | None, output: Output) -> None:
    """Let nodes take work again that you drained."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.drains import print_changes

    emit(flow.undrain(nodes, cluster=cluster, owner=owner), output, print_changes)
