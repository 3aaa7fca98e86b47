"""Reach a host over ssh the way the `ssh` command would: same configuration, keys, jumps and known hosts."""

from l0_infra.core.exec.ssh.host_keys import HostKeyError, trust_key
from l0_infra.core.exec.ssh.options import HostKeyPolicy, SshOptions
from l0_infra.core.exec.ssh.pool import SshPool
from l0_infra.core.exec.ssh.runner import SshRunner

__all__ = ["HostKeyError", "HostKeyPolicy", "SshOptions", "SshPool", "SshRunner", "trust_key"]
