"""Nodes that register themselves (`slurmd -Z`) and are taken off the list by name."""

from collections.abc import Sequence

from l0_infra.core.nodeset import fold

__all__ = ["delete_nodes_command"]


def delete_nodes_command(nodes: Sequence[str]) -> tuple[str, ...]:
    """Take nodes off the controller's list; it refuses while something runs on them."""
    return ("scontrol", "delete", f"NodeName={fold(nodes)}")
