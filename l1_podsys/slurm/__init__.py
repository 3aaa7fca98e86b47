"""Slurm: how its nodes are asked for and read, taken out of work with an owner and a reason, and given back."""

from l1_podsys.slurm.commands import (
    drain_command,
    ping_command,
    show_nodes_command,
    undrain_command,
)
from l1_podsys.slurm.drain_reason import Drain, parse_drain, render_drain
from l1_podsys.slurm.drainer import Drainer, SlurmDrainer
from l1_podsys.slurm.dynamic import delete_nodes_command
from l1_podsys.slurm.gres import count_gres
from l1_podsys.slurm.node import SlurmNode
from l1_podsys.slurm.nodes_json import parse_nodes_json
from l1_podsys.slurm.nodes_text import parse_nodes_text

__all__ = [
    "Drain",
    "Drainer",
    "SlurmDrainer",
    "SlurmNode",
    "count_gres",
    "delete_nodes_command",
    "drain_command",
    "parse_drain",
    "parse_nodes_json",
    "parse_nodes_text",
    "ping_command",
    "render_drain",
    "show_nodes_command",
    "undrain_command",
]
