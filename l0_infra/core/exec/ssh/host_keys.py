"""Decide whether the key a host shows may be trusted, and tell a person what to do when it may not."""

import shlex
import subprocess
from typing import Literal

from l0_infra.core.errors import MachineError, RemoteError
from l0_infra.core.exec.ssh.endpoint import Endpoint
from l0_infra.core.exec.ssh.known_hosts import add_known_host, fingerprint, judge_key, read_known_hosts
from l0_infra.core.exec.ssh.options import HostKeyPolicy

__all__ = ["HostKeyError", "admit_key", "trust_key", "wanted_algorithms"]

Doubt = Literal["unknown", "changed", "revoked"]


class HostKeyError(RemoteError):
    """A host showed a key that is not trusted; `host` is the name by which it was asked for.

    `fingerprint` is as `ssh-keygen -l` prints it; `accept` is the command that has ssh ask, after the key that was
    there before is forgotten.
    """

    def __init__(self, endpoint: Endpoint, doubt: Doubt, key_type: str, key: str, line: str) -> None:
        name, self.fingerprint = endpoint.known_as, fingerprint(key)
        self.host, self.doubt, self.key_type, self.key = endpoint.name, doubt, key_type, key
        self.endpoint, self.line = endpoint, line
        forget = shlex.join(["ssh-keygen", "-f", line.rpartition(":")[0], "-R", name])
        ask = _ask_command(endpoint)
        files = " or ".join(endpoint.known_hosts_files) or "known_hosts"
        self.accept = ask if doubt == "unknown" else f"{forget} && {ask}"
        super().__init__(
            endpoint.where,
            found=f"{'an unknown' if doubt == 'unknown' else f'a {doubt}'} host key, {key_type} {self.fingerprint}",
            expected=f"a key of {name} in {files}" if doubt == "unknown" else f"the key of {line}",
            hint=f"compare the fingerprint with the host's own, then accept it once: {ask}"
            if doubt == "unknown"
            else f"someone may stand in between; only if the host was installed anew: {forget}",
        )


def wanted_algorithms(endpoint: Endpoint) -> frozenset[str]:
    """Return the signature algorithms of the keys by which the host is known; to be asked for first."""
    types = {e.key_type for e in read_known_hosts(endpoint.known_hosts_files) if e.matches(endpoint.known_as)}
    rsa = {"rsa-sha2-512", "rsa-sha2-256"} if "ssh-rsa" in types else set()
    return frozenset(types | rsa)


def admit_key(endpoint: Endpoint, policy: HostKeyPolicy, key_type: str, key: str) -> None:
    """Return when the host's key (base64) is trusted, maybe from now on; else raise a HostKeyError."""
    name = endpoint.known_as
    verdict, line = judge_key(read_known_hosts(endpoint.known_hosts_files), name, key_type, key)
    if verdict == "known":
        return
    file = endpoint.known_hosts_files[0] if endpoint.known_hosts_files else None
    if verdict != "unknown" or policy is HostKeyPolicy.STRICT or file is None:
        raise HostKeyError(endpoint, verdict, key_type, key, line)
    add_known_host(file, name, key_type, key, hashed=endpoint.hash_known_hosts)


def trust_key(shown: HostKeyError) -> None:
    """Trust a key from now on, which a person compared, and no longer the ones the host had before.

    Raises MachineError where what is known of hosts cannot be written, and `shown` itself for a key that was revoked.
    """
    endpoint, files = shown.endpoint, shown.endpoint.known_hosts_files
    if shown.doubt == "revoked" or not files:
        raise shown
    if shown.doubt == "changed":
        _forget(shown.line.rpartition(":")[0], endpoint.known_as)
    add_known_host(files[0], endpoint.known_as, shown.key_type, shown.key, hashed=endpoint.hash_known_hosts)


def _forget(file: str, name: str) -> None:
    argv = ["ssh-keygen", "-f", file, "-R", name]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(
            file, found=done.stderr.strip(), expected=f"a file that `{shlex.join(argv)}` changes"
        )


def _ask_command(endpoint: Endpoint) -> str:
    words = ["ssh", "-o", "StrictHostKeyChecking=ask", "-p", str(endpoint.port)]
    if endpoint.jumps:
        words += ["-J", ",".join(endpoint.jumps)]
    if endpoint.known_hosts_files:
        words += ["-o", f"UserKnownHostsFile={endpoint.known_hosts_files[0]}"]
    return shlex.join([*words, f"{endpoint.user}@{endpoint.name}", "true"])
