"""What is asked of Slurm's own programs on the controller, as argument lists."""

from collections.abc import Sequence

from l0_infra.core.nodeset import fold

__all__ = ["drain_command", "show_nodes_command", "undrain_command"]


def show_nodes_command(nodes: Sequence[str] = ()) -> tuple[str, ...]:
    """Ask for all nodes, or for some, a line each; the text is alike in all versions, the JSON is not."""
    return ("scontrol", "--oneliner", "show", "nodes", *([fold(nodes)] if nodes else []))


def drain_command(nodes: Sequence[str], reason: str) -> tuple[str, ...]:
    """Let nodes finish what they run and take nothing new."""
    return ("scontrol", "update", f"NodeName={fold(nodes)}", "State=DRAIN", f"Reason={reason}")


def undrain_command(nodes: Sequence[str]) -> tuple[str, ...]:
    """Let nodes take work again; one that is down for another cause stays down."""
    return ("scontrol", "update", f"NodeName={fold(nodes)}", "State=UNDRAIN")
