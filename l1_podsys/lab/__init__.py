"""The lab: real Debian hosts on one machine, made, broken, mended and taken down."""

from l1_podsys.lab.breaks import KINDS, At, Kind, broken_by
from l1_podsys.lab.breaks import heal as heal_host
from l1_podsys.lab.cluster import describe_cluster, render_cluster
from l1_podsys.lab.documents import Lab, LabHost, LabOs, LabWish
from l1_podsys.lab.down import take_down
from l1_podsys.lab.enter import ssh_command
from l1_podsys.lab.store import Place, lab_names, load_lab, load_labs
from l1_podsys.lab.up import bring_up

__all__ = [
    "KINDS",
    "At",
    "Kind",
    "Lab",
    "LabHost",
    "LabOs",
    "LabWish",
    "Place",
    "bring_up",
    "broken_by",
    "describe_cluster",
    "heal_host",
    "lab_names",
    "load_lab",
    "load_labs",
    "render_cluster",
    "ssh_command",
    "take_down",
]
