"""The one module that speaks through paramiko: a verified connection with its channels."""

import logging
import select
import shlex
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Self

import paramiko

from l0_infra.core.exec.command import Stream
from l0_infra.core.exec.ssh.endpoint import Endpoint
from l0_infra.core.exec.ssh.failures import (
    no_handshake,
    no_login,
    no_session,
    no_way_through,
    unreachable,
)
from l0_infra.core.exec.ssh.host_keys import admit_key, wanted_algorithms
from l0_infra.core.exec.ssh.options import SshOptions
from l0_infra.core.exec.ssh.proxy import through_command

__all__ = ["Connection"]

_CHANNELS = 8  # OpenSSH's MaxSessions is 10 by default; some room is left for people's own tools
_CHUNK_BYTES = 1024 * 1024
_PACKET_BYTES = 32 * 1024
_WINDOW_WAIT_S = 0.005  # paramiko tells no one when the peer's window opens again
_ROOM_WAIT_S = 0.05
_DEAD_AFTER_MS = 30_000
_RELOAD_S, _REDIAL_S = 2.0, 0.2

logging.getLogger("paramiko").addHandler(logging.NullHandler())  # what fails is raised, not printed


class Connection:
    """One connection to one host, shared by threads; commands beyond the server's limit wait their turn."""

    def __init__(self, endpoint: Endpoint, transport: paramiko.Transport, via: "Connection | None") -> None:
        self.endpoint = endpoint
        self._transport = transport
        self._via = via
        self._places = threading.BoundedSemaphore(_CHANNELS)
        self._opening = threading.Lock()  # a transport keeps one error for all who open channels
        self._users = 0
        self._lock = threading.Lock()
        if via is not None:
            via.count(1)

    @classmethod
    def open(cls, endpoint: Endpoint, options: SshOptions, via: "Connection | None") -> Self:
        """Connect, verify the host's key, log in; RemoteError says which of these failed."""
        sock = _socket(endpoint) if via is None else via.tunnel(endpoint)
        transport = paramiko.Transport(sock)
        try:
            _shake_hands(endpoint, transport)
            key = transport.get_remote_server_key()
            admit_key(endpoint, options.host_keys, key.get_name(), key.get_base64())
            _log_in(endpoint, options, transport)
        except BaseException:
            transport.close()
            raise
        transport.set_keepalive(endpoint.keepalive_s)
        return cls(endpoint, transport, via)

    @property
    def alive(self) -> bool:
        """Whether new channels can be opened, as far as is known here."""
        return self._transport.is_active()

    @property
    def idle(self) -> bool:
        """Whether nothing runs on it or through it."""
        return self._users == 0

    def execute(self, argv: tuple[str, ...]) -> "ChannelLink":
        """Start a command on a channel of its own."""
        self._places.acquire()
        self.count(1)
        try:
            channel = self._open_session()
            _execute(channel, shlex.join(argv), self.endpoint.connect_timeout_s)
        except (paramiko.SSHException, EOFError, OSError) as error:
            self._leave()
            raise no_session(self.endpoint, error) from error
        except BaseException:
            self._leave()
            raise
        return ChannelLink(channel, self._leave)

    def _open_session(self) -> paramiko.Channel:
        """Open a channel, waiting while the server has no room; one that ended still counts for a while."""
        end = time.monotonic() + self.endpoint.connect_timeout_s
        while True:
            try:
                with self._opening:
                    return self._transport.open_session(timeout=self.endpoint.connect_timeout_s)
            except paramiko.ChannelException:
                if time.monotonic() > end:
                    raise
            time.sleep(_ROOM_WAIT_S)

    def tunnel(self, to: Endpoint) -> paramiko.Channel:
        """Reach the next host through this one."""
        try:
            with self._opening:
                return self._transport.open_channel(
                    "direct-tcpip", (to.hostname, to.port), ("127.0.0.1", 0), timeout=to.connect_timeout_s
                )
        except (paramiko.SSHException, EOFError, OSError) as error:
            raise no_way_through(self.endpoint, to, error) from error

    def count(self, change: int) -> None:
        """Note one more or one less user: a running command, or a connection tunnelled through this one."""
        with self._lock:
            self._users += change

    def close(self) -> None:
        """Close the connection; the commands on it are told to end by that."""
        via, self._via = self._via, None
        self._transport.close()
        if via is not None:
            via.count(-1)

    def _leave(self) -> None:
        self.count(-1)
        self._places.release()


class ChannelLink:
    """A supervisor at the other end of a channel."""

    def __init__(self, channel: paramiko.Channel, leave: Callable[[], None]) -> None:
        self._channel = channel
        self._leave = leave
        self._open = True
        channel.setblocking(False)
        self._poll = select.poll()
        self._poll.register(channel.fileno(), select.POLLIN)

    def send(self, data: memoryview) -> int:
        sent = 0
        try:
            while sent < min(len(data), _CHUNK_BYTES):
                sent += self._channel.send(bytes(data[sent : sent + _PACKET_BYTES]))
        except TimeoutError:
            return sent
        except OSError:
            return len(data)
        return sent

    def end_input(self) -> None:
        try:
            self._channel.shutdown_write()
        except (OSError, EOFError):
            return  # the connection is gone, and with it the input

    def wait(self, timeout_s: float, *, to_send: bool) -> None:
        self._poll.poll((min(timeout_s, _WINDOW_WAIT_S) if to_send else timeout_s) * 1000)

    def receive(self) -> list[tuple[Stream, bytes]] | None:
        over = self._channel.eof_received or self._channel.closed
        pieces: list[tuple[Stream, bytes]] = []
        if self._channel.recv_ready():
            pieces.append(("stdout", self._channel.recv(_CHUNK_BYTES)))
        if self._channel.recv_stderr_ready():
            pieces.append(("stderr", self._channel.recv_stderr(_CHUNK_BYTES)))
        return None if over and not pieces else pieces

    def close(self) -> None:
        if self._open:
            self._open = False
            self._channel.close()
            self._leave()


def _execute(channel: paramiko.Channel, command: str, timeout_s: float) -> None:
    """Start a command; paramiko waits for the server's answer without end, so a clock closes the channel."""
    clock = threading.Timer(timeout_s, channel.close)
    clock.daemon = True
    clock.start()
    try:
        channel.exec_command(command)
    finally:
        clock.cancel()


def _socket(endpoint: Endpoint) -> socket.socket:
    if endpoint.proxy_command:
        return through_command(endpoint.proxy_command)
    try:
        sock = _dial(endpoint)
    except OSError as error:
        raise unreachable(endpoint, error) from error
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_AFTER_MS)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def _dial(endpoint: Endpoint) -> socket.socket:
    """Connect; a server that refuses is asked again for a moment, for one that reloads starts itself anew."""
    end = time.monotonic() + min(_RELOAD_S, endpoint.connect_timeout_s)
    while True:
        try:
            return socket.create_connection((endpoint.hostname, endpoint.port), endpoint.connect_timeout_s)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(_REDIAL_S)


def _shake_hands(endpoint: Endpoint, transport: paramiko.Transport) -> None:
    timeout = endpoint.connect_timeout_s
    transport.banner_timeout = transport.handshake_timeout = transport.auth_timeout = timeout
    wanted = wanted_algorithms(endpoint)
    options = transport.get_security_options()
    options.key_types = sorted(options.key_types, key=lambda name: name not in wanted)
    try:
        transport.start_client(timeout=timeout)
        if not transport.initial_kex_done:  # a timeout is not raised
            raise TimeoutError(f"no answer within {timeout:g} s")
    except (paramiko.SSHException, EOFError, OSError) as error:
        raise no_handshake(endpoint, error) from error


def _log_in(endpoint: Endpoint, options: SshOptions, transport: paramiko.Transport) -> None:
    tried: list[str] = []
    offered: list[str] = []
    try:
        offered = _offered(endpoint, transport)
        if not offered or _log_in_by_key(endpoint, options, transport, tried):
            return
        if options.password is not None:
            tried.append("password")
            transport.auth_password(endpoint.user, options.password.reveal())
            return
    except paramiko.AuthenticationException:
        pass
    except (paramiko.SSHException, EOFError, OSError) as error:
        tried.append(f"then {error or 'the server hung up'}")
    raise no_login(endpoint, tried, offered)


def _offered(endpoint: Endpoint, transport: paramiko.Transport) -> list[str]:
    """Return the ways to log in that the server offers; none are left when it wants no proof at all."""
    try:
        return transport.auth_none(endpoint.user)
    except paramiko.BadAuthenticationType as error:
        return error.allowed_types


def _log_in_by_key(
    endpoint: Endpoint, options: SshOptions, transport: paramiko.Transport, tried: list[str]
) -> bool:
    """Offer the keys, each once: those of the agent, then the identity files."""
    with closing(paramiko.Agent()) as agent:
        for label, key in _keys(endpoint, agent, dict(_file_keys(endpoint, options, tried))):
            tried.append(f"publickey {label}")
            try:
                return not transport.auth_publickey(endpoint.user, key)  # what is left is another factor
            except paramiko.AuthenticationException:
                continue
    return False


def _keys(
    endpoint: Endpoint, agent: paramiko.Agent, files: Mapping[str, paramiko.PKey]
) -> Iterator[tuple[str, paramiko.PKey]]:
    of_files = {key.asbytes() for key in files.values()}
    of_agent = {key.asbytes(): key for key in agent.get_keys()}
    for blob, key in of_agent.items():
        if not endpoint.identities_only or blob in of_files:
            yield f"agent {key.fingerprint}", key
    yield from ((file, key) for file, key in files.items() if key.asbytes() not in of_agent)


def _file_keys(
    endpoint: Endpoint, options: SshOptions, tried: list[str]
) -> Iterator[tuple[str, paramiko.PKey]]:
    passphrase = None if options.passphrase is None else options.passphrase.reveal().encode()
    for file in endpoint.identity_files:
        try:
            yield file, paramiko.PKey.from_path(file, passphrase)  # type: ignore[arg-type]  # wants bytes
        except FileNotFoundError:
            if file in options.identity_files:
                tried.append(f"{file} (not there)")
        except (TypeError, ValueError, OSError, paramiko.SSHException, paramiko.pkey.UnknownKeyType) as error:
            tried.append(f"{file} (not used: {error})")
