"""`ogai cluster check`: whether the nodes are fit for work."""

from typing import Literal

import click

from ogai.commands.cluster.arguments import ask_option, cluster_option, password_of
from ogai.render import Output, emit, output_option

__all__ = ["check"]

EPILOG = """\b
Examples:
  ogai cluster check                      the current cluster
  ogai cluster check n[01-16] --cluster pod.yaml --level medium
  ogai cluster check -o json | jq -r '.verdicts[] | [.node, .check] | @tsv'

Exit code 0: fit. 6: a node has a critical verdict. 4: a check could not be made. Warnings are 0.
"""


@click.command(epilog=EPILOG)
@click.argument("nodes", metavar="[NODESET]", required=False)
@cluster_option
@click.option(
    "--level",
    type=click.Choice(["quick", "medium", "burnin"]),
    default="quick",
    show_default=True,
    help="How deep: seconds, minutes with speeds, or hours under load.",
)
@click.option(
    "--minutes", type=click.FloatRange(min=0), default=60, show_default=True, help="How long a burn-in lasts."
)
@click.option(
    "--drain/--no-drain",
    default=None,
    help="Drain compute nodes that fail; else as the document's gates say.",
)
@click.option("--all", "everything", is_flag=True, help="Show what is well, too.")
@ask_option
@output_option
def check(
    nodes: str | None,
    cluster: str | None,
    level: Literal["quick", "medium", "burnin"],
    minutes: float,
    drain: bool | None,
    everything: bool,
    ask_sudo_password: bool,
    output: Output,
) -> None:
    """Check that nodes are fit for work: alike, in time, connected, with room, known to the scheduler."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.health import print_health
    from ogai.render.cluster.rounds import rounds
    from ogai.render.node.looking import looking

    password = password_of(ask=ask_sudo_password)
    with looking("looked at") as looked, rounds() as on_round:
        checked = flow.check(
            nodes,
            cluster=cluster,
            level=level,
            minutes=minutes,
            drain=drain,
            password=password,
            on_looked=looked,
            on_round=on_round,
        )
    emit(checked.health, output, lambda health: print_health(health, everything=everything))
    flow.raise_for_verdicts(checked.health)
