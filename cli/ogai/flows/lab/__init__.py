"""The lab: real Debian hosts on this machine, for trying a cluster before there is one."""

from ogai.flows.lab.damage import break_, heal, heal_all
from ogai.flows.lab.enter import exec_, exec_command, raise_for_failed, shell_command
from ogai.flows.lab.labs import down, host_names, load, names, up
from ogai.flows.lab.see import HostReport, LabReport, probe

__all__ = [
    "HostReport",
    "LabReport",
    "break_",
    "down",
    "exec_",
    "exec_command",
    "heal",
    "heal_all",
    "host_names",
    "load",
    "names",
    "probe",
    "raise_for_failed",
    "shell_command",
    "up",
]
