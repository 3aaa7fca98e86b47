"""`ogai node diff`: how two nodes differ."""

from pathlib import Path

import click

from ogai.render import Output, emit, output_option

__all__ = ["diff"]

EPILOG = """\b
Examples:
  ogai node diff gpu01 gpu02
  ogai node diff n1 n2 --cluster pod.yaml -o json
  ogai node diff good.tar.gz bad.tar.gz
  ogai node diff case-118.tar.gz:gpu07 case-118.tar.gz:gpu12

Left out is what changes from look to look (temperatures, memory in use) and what no two nodes share (serial numbers,
addresses).
"""


@click.command(epilog=EPILOG)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--cluster",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Cluster document of A and B.",
)
@click.option("--sudo", is_flag=True, help="Look as root, through sudo.")
@output_option
def diff(first: str, second: str, cluster: Path | None, sudo: bool, output: Output) -> None:
    """Show the facts in which two nodes differ; A and B are hosts, nodes of a cluster, or support bundles."""
    from ogai.flows import node as flow
    from ogai.render.node.diff import print_differences

    compared = flow.diff(first, second, cluster=cluster, sudo=sudo)
    emit(compared.differences, output, lambda _: print_differences(compared))
