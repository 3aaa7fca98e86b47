"""Slurm: how its nodes are asked for and read, taken out of work with an owner and a reason, and given back."""

from l1_podsys.slurm.commands import drain_command, show_nodes_command, undrain_command
from l1_podsys.slurm.configuration import (
    render_cgroup_conf,
    render_database_conf,
    render_gres_conf,
    render_slurmdbd_conf,
    render_topology_conf,
)
from l1_podsys.slurm.controller import Controller, SlurmMember
from l1_podsys.slurm.drain_reason import Drain, parse_drain, plain_reason, render_drain
from l1_podsys.slurm.drainer import Drainer, SlurmDrainer
from l1_podsys.slurm.dynamic import delete_nodes_command
from l1_podsys.slurm.gres import count_gres
from l1_podsys.slurm.node import SlurmNode
from l1_podsys.slurm.node_shape import Devices, NodeShape, node_conf_line, shape_of
from l1_podsys.slurm.nodes_json import parse_nodes_json
from l1_podsys.slurm.nodes_text import parse_nodes_text
from l1_podsys.slurm.slurm_conf import render_slurm_conf
from l1_podsys.slurm.versions import nodes_join, slurm_version

__all__ = [
    "Controller",
    "Devices",
    "Drain",
    "Drainer",
    "NodeShape",
    "SlurmDrainer",
    "SlurmMember",
    "SlurmNode",
    "count_gres",
    "delete_nodes_command",
    "drain_command",
    "node_conf_line",
    "nodes_join",
    "parse_drain",
    "parse_nodes_json",
    "parse_nodes_text",
    "plain_reason",
    "render_cgroup_conf",
    "render_database_conf",
    "render_drain",
    "render_gres_conf",
    "render_slurm_conf",
    "render_slurmdbd_conf",
    "render_topology_conf",
    "shape_of",
    "show_nodes_command",
    "slurm_version",
    "undrain_command",
]
