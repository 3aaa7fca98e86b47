"""`ogai cluster check`: whether the nodes are fit for work."""

from pathlib import Path
from typing import Literal

import click

from ogai.render import Output, emit, output_option

__all__ = ["check"]

EPILOG = """\b
Examples:
  ogai cluster check --cluster pod.yaml
  ogai cluster check n[01-16] --cluster pod.yaml
  ogai cluster check --cluster pod.yaml -o json | jq '.verdicts[] | select(.severity == "critical")'

Exit code 0: fit. 6: a node has a critical verdict. 4: a check could not be made. Warnings are 0.
"""


@click.command(epilog=EPILOG)
@click.argument("nodes", metavar="[NODESET]", required=False)
@click.option(
    "--cluster", metavar="FILE", type=click.Path(path_type=Path), required=True, help="Cluster document."
)
@click.option(
    "--level",
    type=click.Choice(["quick", "medium"]),
    default="quick",
    show_default=True,
    help="How deep: seconds, or minutes with speeds.",
)
@click.option(
    "--drain/--no-drain",
    default=None,
    help="Drain compute nodes that fail; else as the document's gates say.",
)
@click.option("--all", "everything", is_flag=True, help="Show what is well, too.")
@output_option
def check(
    nodes: str | None,
    cluster: Path,
    level: Literal["quick", "medium"],
    drain: bool | None,
    everything: bool,
    output: Output,
) -> None:
    """Check that nodes are fit for work: alike, in time, connected, with room, known to the scheduler."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.health import print_health
    from ogai.render.cluster.rounds import rounds
    from ogai.render.node.looking import looking

    with looking("looked at") as looked, rounds() as on_round:
        checked = flow.check(
            nodes, cluster=cluster, level=level, drain=drain, on_looked=looked, on_round=on_round
        )
    emit(checked.health, output, lambda health: print_health(health, everything=everything))
    flow.raise_for_verdicts(checked.health)
