"""What a caller may say about an ssh login; everything else is the user's ssh configuration."""

from dataclasses import dataclass
from enum import Enum

from l0_infra.core.exec.secret import Secret

__all__ = ["HostKeyPolicy", "SshOptions"]


class HostKeyPolicy(Enum):
    """What happens to a host whose key is not in known_hosts; a changed key is refused always."""

    STRICT = "strict"
    """Refuse, showing the key's fingerprint and the command that accepts it."""
    ACCEPT_NEW = "accept_new"
    """Trust the first key seen and add it to known_hosts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SshOptions:
    """Overrides of the user's ssh configuration; None or empty leaves that as it is.

    `user`, `port`, `proxy_jump` and `password` are for the target only; files, policy, timeout and passphrase
    also for the jump hosts before it. `passphrase` opens identity files, `sudo_password` answers sudo on the target.
    """

    user: str | None = None
    port: int | None = None
    proxy_jump: str | None = None
    config_file: str | None = None
    identity_files: tuple[str, ...] = ()
    known_hosts_file: str | None = None
    host_keys: HostKeyPolicy = HostKeyPolicy.STRICT
    connect_timeout_s: float | None = None
    password: Secret | None = None
    passphrase: Secret | None = None
    sudo_password: Secret | None = None
