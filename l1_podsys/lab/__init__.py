"""The lab: real Debian hosts on one machine, made, broken, mended and taken down."""

from l1_podsys.lab.breaks import BREAKS, Break, HostHandle, breaks_of, heal_host
from l1_podsys.lab.cluster import describe_lab_cluster, render_lab_cluster
from l1_podsys.lab.documents import Lab, LabHost, LabOs, LabWish
from l1_podsys.lab.down import take_lab_down
from l1_podsys.lab.enter import ssh_command
from l1_podsys.lab.store import LabPlace, lab_names, load_lab, load_labs
from l1_podsys.lab.up import bring_lab_up

__all__ = [
    "BREAKS",
    "Break",
    "HostHandle",
    "Lab",
    "LabHost",
    "LabOs",
    "LabPlace",
    "LabWish",
    "breaks_of",
    "bring_lab_up",
    "describe_lab_cluster",
    "heal_host",
    "lab_names",
    "load_lab",
    "load_labs",
    "render_lab_cluster",
    "ssh_command",
    "take_lab_down",
]
