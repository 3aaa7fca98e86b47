"""The lab, real Debian hosts on this machine: `from ogai.lab import up, exec_, down`."""

from l1_podsys.lab import Lab, LabHost
from ogai.flows.lab import down, exec_, load, load_all, up

__all__ = ["Lab", "LabHost", "down", "exec_", "load", "load_all", "up"]
