"""What may go wrong on the way to a host, told as where, found, expected and the mend."""

import socket
from collections.abc import Sequence

from l0_infra.core.errors import RemoteError, describe_os_error
from l0_infra.core.exec.ssh.endpoint import Endpoint

__all__ = ["no_handshake", "no_login", "no_session", "no_way_through", "unreachable"]


def unreachable(endpoint: Endpoint, error: OSError) -> RemoteError:
    """The host's port cannot be connected."""
    if isinstance(error, socket.gaierror):
        return RemoteError(
            endpoint.where,
            found="a name that does not resolve",
            expected="a known host",
            hint=f"check the address, /etc/hosts, DNS, or a HostName for {endpoint.name} in ~/.ssh/config",
        )
    if isinstance(error, ConnectionRefusedError):
        found, hint = "connection refused", "is sshd running there, and on this port? look at its console"
    elif isinstance(error, TimeoutError):
        found = f"no answer within {endpoint.connect_timeout_s:g} s"
        hint = "is it on, cabled, and not behind a firewall? its console or management controller tells"
    else:
        found, hint = describe_os_error(error), "is its address right, is it on, and does a route lead there?"
    return RemoteError(endpoint.where, found=found, expected="an ssh server", hint=hint, retry=True)


def no_handshake(endpoint: Endpoint, error: Exception) -> RemoteError:
    """Something listens, but does not speak ssh with us."""
    return RemoteError(
        endpoint.where,
        found=f"no ssh handshake: {str(error) or 'the server hung up'}",
        expected="an ssh server",
        hint="does it hang? look at its console; where many connect at once, raise MaxStartups in its sshd_config",
        retry=True,
    )


def no_login(endpoint: Endpoint, tried: Sequence[str], offered: Sequence[str]) -> RemoteError:
    """The server accepts none of the keys and passwords at hand."""
    takes = f"; the server takes {', '.join(offered)}" if offered else ""
    return RemoteError(
        endpoint.where,
        found=f"no login for {endpoint.user}; tried {', '.join(tried) or 'nothing: there is no key'}{takes}",
        expected="a key or password that the server accepts",
        hint=f"ssh-copy-id -p {endpoint.port} {endpoint.user}@{endpoint.name}",
    )


def no_session(endpoint: Endpoint, error: Exception) -> RemoteError:
    """The connection stands, or stood, but gives no session."""
    return RemoteError(
        endpoint.where,
        found=f"no session: {str(error) or 'the connection ended'}",
        expected="a session on an open connection",
        hint="if others use many sessions too, raise MaxSessions in its sshd_config",
        retry=True,
    )


def no_way_through(jump: Endpoint, to: Endpoint, error: Exception) -> RemoteError:
    """The jump host does not reach the next host."""
    return RemoteError(
        to.where,
        found=f"no way through the jump host {jump.where}: {str(error) or 'the connection ended'}",
        expected="a jump host that can reach it",
        hint=f"try `ssh {jump.name} nc -vz {to.hostname} {to.port}`",
        retry=True,
    )
