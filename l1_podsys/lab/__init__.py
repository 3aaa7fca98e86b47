"""The lab: real Debian hosts on one machine, made, broken, mended and taken down."""

from l1_podsys.lab.cluster import describe_cluster, render_cluster
from l1_podsys.lab.documents import Lab, LabHost, LabOs, LabWish
from l1_podsys.lab.enter import console_command, ssh_command
from l1_podsys.lab.keepers import leader_of
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.operate import Place, bring_up, load_lab, load_labs, take_down

__all__ = [
    "Lab",
    "LabHost",
    "LabOs",
    "LabWish",
    "Layout",
    "Place",
    "bring_up",
    "console_command",
    "describe_cluster",
    "leader_of",
    "load_lab",
    "load_labs",
    "render_cluster",
    "ssh_command",
    "take_down",
]
