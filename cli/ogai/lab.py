"""The lab, real Debian hosts on this machine: `from ogai.lab import up, exec_, break_, heal, down`."""

from l1_podsys import Lab, LabHost
from ogai.flows.lab import (
    HostReport,
    LabReport,
    break_,
    down,
    exec_,
    heal,
    heal_all,
    load,
    names,
    probe,
    raise_for_failed,
    up,
)

__all__ = [
    "HostReport",
    "Lab",
    "LabHost",
    "LabReport",
    "break_",
    "down",
    "exec_",
    "heal",
    "heal_all",
    "load",
    "names",
    "probe",
    "raise_for_failed",
    "up",
]
