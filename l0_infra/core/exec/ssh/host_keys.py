"""Decide whether the key a host shows may be trusted, and tell a person what to do when it may not."""

import shlex

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec.ssh.endpoint import Endpoint
from l0_infra.core.exec.ssh.known_hosts import add_known_host, fingerprint, judge_key, read_known_hosts
from l0_infra.core.exec.ssh.options import HostKeyPolicy

__all__ = ["admit_key", "wanted_algorithms"]


def wanted_algorithms(endpoint: Endpoint) -> frozenset[str]:
    """Return the signature algorithms of the keys by which the host is known; to be asked for first."""
    types = {e.key_type for e in read_known_hosts(endpoint.known_hosts_files) if e.matches(endpoint.known_as)}
    rsa = {"rsa-sha2-512", "rsa-sha2-256"} if "ssh-rsa" in types else set()
    return frozenset(types | rsa)


def admit_key(endpoint: Endpoint, policy: HostKeyPolicy, key_type: str, key: str) -> None:
    """Return when the host's key (base64) is trusted, maybe from now on; else raise a RemoteError."""
    name = endpoint.known_as
    verdict, line = judge_key(read_known_hosts(endpoint.known_hosts_files), name, key_type, key)
    if verdict == "known":
        return
    shown = f"{key_type} {fingerprint(key)}"
    if verdict != "unknown":
        raise _untrusted(endpoint, f"a {verdict} host key, {shown}", line)
    file = endpoint.known_hosts_files[0] if endpoint.known_hosts_files else None
    if policy is HostKeyPolicy.STRICT or file is None:
        raise _unknown(endpoint, shown)
    add_known_host(file, name, key_type, key, hashed=endpoint.hash_known_hosts)


def _unknown(endpoint: Endpoint, shown: str) -> RemoteError:
    accept = ["ssh", "-o", "StrictHostKeyChecking=ask", "-p", str(endpoint.port)]
    if endpoint.jumps:
        accept += ["-J", ",".join(endpoint.jumps)]
    if endpoint.known_hosts_files:
        accept += ["-o", f"UserKnownHostsFile={endpoint.known_hosts_files[0]}"]
    files = " or ".join(endpoint.known_hosts_files) or "known_hosts"
    command = shlex.join([*accept, f"{endpoint.user}@{endpoint.name}", "true"])
    return RemoteError(
        endpoint.where,
        found=f"an unknown host key, {shown}",
        expected=f"a key of {endpoint.known_as} in {files}",
        hint=f"compare the fingerprint with the host's own, then accept it once: {command}",
    )


def _untrusted(endpoint: Endpoint, found: str, line: str) -> RemoteError:
    file = line.rpartition(":")[0]
    forget = shlex.join(["ssh-keygen", "-f", file, "-R", endpoint.known_as])
    return RemoteError(
        endpoint.where,
        found=found,
        expected=f"the key of {line}",
        hint=f"someone may stand in between; only if the host was installed anew: {forget}",
    )
