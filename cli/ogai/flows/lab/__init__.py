"""The lab: real Debian hosts on this machine, for trying a cluster before there is one."""

from ogai.flows.lab.enter import exec_, shell_command
from ogai.flows.lab.labs import down, load, load_all, names, up

__all__ = ["down", "exec_", "load", "load_all", "names", "shell_command", "up"]
