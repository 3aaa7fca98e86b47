"""The lab: real Debian hosts on one machine, made, broken, mended and taken down."""

from l1_podsys.lab.cluster import describe_cluster, render_cluster
from l1_podsys.lab.documents import Lab, LabHost, LabOs, LabWish
from l1_podsys.lab.down import take_down
from l1_podsys.lab.enter import console_command, ssh_command
from l1_podsys.lab.keepers import leader_of
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.store import Place, lab_names, load_lab, load_labs
from l1_podsys.lab.up import bring_up

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
    "lab_names",
    "leader_of",
    "load_lab",
    "load_labs",
    "render_cluster",
    "ssh_command",
    "take_down",
]
