"""`ogai cluster watch`: the checks again and again, told by what changes."""

from typing import Literal

import click

from ogai.commands.cluster.arguments import ask_option, cluster_option, password_of

__all__ = ["watch"]

EPILOG = """\b
Examples:
  ogai cluster watch                     every ten minutes, a line each time and one for each change
  ogai cluster watch --every 30m --level medium

Ends by Ctrl-C. As a service: systemd-run --unit=ogai-watch ogai cluster watch
"""


@click.command(epilog=EPILOG)
@click.argument("nodes", metavar="[NODESET]", required=False)
@cluster_option
@click.option("--level", type=click.Choice(["quick", "medium"]), default="quick", show_default=True)
@click.option("--every", default="10m", show_default=True, help="Time between two checks.")
@click.option("--drain/--no-drain", default=None, help="As for `ogai cluster check`.")
@ask_option
def watch(
    nodes: str | None,
    cluster: str | None,
    level: Literal["quick", "medium"],
    every: str,
    drain: bool | None,
    ask_sudo_password: bool,
) -> None:
    """Check again and again, take nodes out of work that fail and give back those that are mended."""
    from l0_infra.core.units import parse_duration
    from ogai.daemons.gates import watch_cluster
    from ogai.render.cluster.watched import print_round

    every_s = parse_duration(every, where="--every")
    rounds = watch_cluster(
        nodes,
        cluster=cluster,
        level=level,
        drain=drain,
        every_s=every_s,
        password=password_of(ask=ask_sudo_password),
    )
    for one in rounds:
        print_round(one)
