"""Where and how a host is reached: read from `ssh -G`, so that it is what the ssh command would do."""

import getpass
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec.ssh.options import SshOptions

__all__ = ["Endpoint", "config_argv", "hop_options", "parse_config", "resolve"]

_CONNECT_TIMEOUT_S = 10.0
_KEEPALIVE_S = 15


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """One resolved ssh destination; `jumps` are still names, in the order they are passed."""

    name: str
    hostname: str
    user: str
    port: int
    jumps: tuple[str, ...] = ()
    proxy_command: str = ""
    identity_files: tuple[str, ...] = ()
    identities_only: bool = False
    known_hosts_files: tuple[str, ...] = ()
    host_key_alias: str = ""
    hash_known_hosts: bool = False
    connect_timeout_s: float = _CONNECT_TIMEOUT_S
    keepalive_s: int = _KEEPALIVE_S

    @property
    def where(self) -> str:
        """The destination as messages show it."""
        return f"{self.user}@{self.hostname}:{self.port}"

    @property
    def known_as(self) -> str:
        """The name under which known_hosts has it."""
        name = self.host_key_alias or self.hostname
        return name if self.port == 22 or self.host_key_alias else f"[{name}]:{self.port}"


def config_argv(target: str, options: SshOptions) -> tuple[str, ...]:
    """Return the ssh command that prints the configuration for a target with these overrides."""
    argv = ["ssh", "-G", "-T"]
    if options.config_file is not None:
        argv += ["-F", options.config_file]
    if options.user is not None:
        argv += ["-l", options.user]
    if options.port is not None:
        argv += ["-p", str(options.port)]
    if options.proxy_jump is not None:
        argv += ["-J", options.proxy_jump]
    if options.known_hosts_file is not None:
        argv += ["-o", f"UserKnownHostsFile={options.known_hosts_file}"]
    return (*argv, "--", target)


def parse_config(target: str, text: str, options: SshOptions) -> Endpoint:
    """Read what `ssh -G` printed; keys are lower case, one `key value` a line, some keys repeat."""
    rows = [line.partition(" ")[::2] for line in text.splitlines()]
    one = {key: value for key, value in reversed(rows) if value != "none"}
    tokens = {
        "%": "%",
        "d": str(Path.home()),
        "h": one["hostname"],
        "n": target,
        "p": one["port"],
        "r": one["user"],
        "u": getpass.getuser(),
    }
    identities = [value for key, value in rows if key == "identityfile"]
    return Endpoint(
        name=target,
        hostname=one["hostname"],
        user=one["user"],
        port=int(one["port"]),
        jumps=tuple(one.get("proxyjump", "").split(",")) if "proxyjump" in one else (),
        proxy_command=_expand(one.get("proxycommand", ""), tokens),
        identity_files=(*options.identity_files, *(_file(value, tokens) for value in identities)),
        identities_only=one.get("identitiesonly") == "yes",
        known_hosts_files=_known_hosts_files(one, tokens),
        host_key_alias=one.get("hostkeyalias", ""),
        hash_known_hosts=one.get("hashknownhosts") == "yes",
        connect_timeout_s=options.connect_timeout_s or float(one.get("connecttimeout", _CONNECT_TIMEOUT_S)),
        keepalive_s=int(one.get("serveraliveinterval", "0")) or _KEEPALIVE_S,
    )


def hop_options(hop: str, options: SshOptions) -> tuple[str, SshOptions]:
    """Split a jump `[ssh://][user@]host[:port]` into its name and the options for it."""
    url = urlsplit(hop if hop.startswith("ssh://") else f"ssh://{hop}")
    if not url.hostname:
        raise RemoteError(f"ProxyJump {hop}", found="no host in it", expected="[user@]host[:port]")
    return url.hostname, replace(
        options, user=url.username, port=url.port, proxy_jump=None, password=None, sudo_password=None
    )


def resolve(target: str, options: SshOptions) -> Endpoint:
    """Ask ssh how it would reach a target; RemoteError when the configuration is bad or ssh is missing."""
    if shutil.which("ssh") is None:
        raise RemoteError(
            target, found="no ssh client here", expected="the ssh command", hint="install openssh-client"
        )
    done = subprocess.run(
        config_argv(target, options), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RemoteError(
            f"ssh configuration for {target}", found=done.stderr.strip(), expected="what `ssh -G` accepts"
        )
    return parse_config(target, done.stdout, options)


def _known_hosts_files(one: Mapping[str, str], tokens: Mapping[str, str]) -> tuple[str, ...]:
    names = f"{one.get('userknownhostsfile', '')} {one.get('globalknownhostsfile', '')}".split()
    return tuple(_file(name, tokens) for name in names)


def _file(path: str, tokens: Mapping[str, str]) -> str:
    return str(Path(os.path.expandvars(_expand(path, tokens))).expanduser())


def _expand(text: str, tokens: Mapping[str, str]) -> str:
    """Put in the values of ssh_config(5)'s TOKENS, which `ssh -G` prints as they were written."""
    return re.sub("%(.)", lambda found: tokens.get(found[1], found[0]), text)
