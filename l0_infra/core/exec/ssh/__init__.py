"""Reach a host over ssh the way the `ssh` command would: same configuration, keys, jumps and known hosts."""

from l0_infra.core.exec.ssh.options import HostKeyPolicy, SshOptions
from l0_infra.core.exec.ssh.pool import SshPool
from l0_infra.core.exec.ssh.runner import SshRunner

__all__ = ["HostKeyPolicy", "SshOptions", "SshPool", "SshRunner"]
