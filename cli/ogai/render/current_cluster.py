"""Where submitted work goes when a cluster is current: said on stderr, in one line."""

import click

from l0_infra.core.units import format_count
from l1_podsys import ClusterSummary

__all__ = ["describe_cluster", "tell_place"]

ENGINES = {"slurm": "Slurm", "local": "local"}


def tell_place(cluster: ClusterSummary | None) -> None:
    """Say that work runs on this machine although a cluster is current; without one nothing needs to be said."""
    if cluster is None:
        return
    why = "; ogai does not submit to Slurm yet" if cluster.scheduler == "slurm" else ""
    click.echo(f"cluster {describe_cluster(cluster)} is current{why}: this runs on this machine", err=True)


def describe_cluster(cluster: ClusterSummary) -> str:
    """Write its name, its scheduler and its size."""
    return f"{cluster.name} ({ENGINES[cluster.scheduler]}, {format_count(cluster.nodes, 'node')})"
