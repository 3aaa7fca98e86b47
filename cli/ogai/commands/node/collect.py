"""`ogai node collect`: everything about nodes in one file."""

from pathlib import Path

import click

from ogai.commands.node.arguments import nodes_options

__all__ = ["collect"]

EPILOG = """\b
Examples:
  ogai node collect
  ogai node collect --hosts gpu[07,12] --sudo --to case-118.tar.gz
  ogai node inspect --bundle case-118.tar.gz

The archive holds what tools print, a file each, in a folder for each node; passwords, keys and tokens are
taken out. Only you may read it. A folder or archive of such files gathered by hand is read alike.
"""


@click.command(epilog=EPILOG)
@nodes_options
@click.option(
    "--to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Archive to write.",
)
def collect(nodes: str | None, hosts: str | None, cluster: Path | None, sudo: bool, to: Path | None) -> None:
    """Gather all that helps to judge nodes, without secrets, in one archive to send to who helps."""
    from time import time

    from ogai.flows import node as flow
    from ogai.render.node.looking import looking, tell_left

    path = to or flow.default_name(time())
    with looking("asked") as asked:
        done = flow.collect(path, nodes, hosts=hosts, cluster=cluster, sudo=sudo, on_collected=asked)
    tell_left(done.left)
    click.echo(str(done.path))
    click.echo(f"to read it: ogai node inspect --bundle {done.path}", err=True)
