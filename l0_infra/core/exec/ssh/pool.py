"""Keep one connection per host and hand it to all who need it, jump hosts included."""

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from l0_infra.core.errors import RemoteError, UsageError
from l0_infra.core.exec.converse import Link
from l0_infra.core.exec.ssh.endpoint import Endpoint, hop_options, resolve
from l0_infra.core.exec.ssh.options import SshOptions

if TYPE_CHECKING:
    from l0_infra.core.exec.ssh.connection import Connection

__all__ = ["SshPool"]


@dataclass(slots=True)
class _Slot:
    lock: threading.Lock = field(default_factory=threading.Lock)
    connection: "Connection | None" = None
    used_at: float = 0.0
    failed_at: float = float("-inf")
    error: RemoteError | None = None


class SshPool:
    """Connections by destination, for many threads; at most about `keep` stay open when idle."""

    def __init__(self, *, keep: int = 256) -> None:
        self._keep = keep
        self._slots: dict[tuple[str, tuple[str, ...]], _Slot] = {}
        self._lock = threading.Lock()
        self.opened = 0
        """How many connections were opened so far."""

    def start(self, endpoint: Endpoint, options: SshOptions, argv: tuple[str, ...]) -> Link:
        """Start a command on the host's connection; one that was found dead is opened anew, once."""
        slot = self._slot(endpoint)
        reused = slot.connection
        connection = self._connection(endpoint, options)
        try:
            return connection.execute(argv)
        except RemoteError:
            if connection is not reused or connection.alive:
                raise
        return self._connection(endpoint, options).execute(argv)

    def drop(self, endpoint: Endpoint) -> None:
        """Close the connection to one host."""
        slot = self._slot(endpoint)
        connection, slot.connection = slot.connection, None
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Close all connections; the commands on them are told to end by that."""
        with self._lock:
            slots, self._slots = list(self._slots.values()), {}
        for slot in slots:
            if slot.connection is not None:
                slot.connection.close()

    def _slot(self, endpoint: Endpoint) -> _Slot:
        with self._lock:
            return self._slots.setdefault((endpoint.where, endpoint.jumps), _Slot())

    def _connection(self, endpoint: Endpoint, options: SshOptions) -> "Connection":
        """Return the living connection or open one; who waited while another failed shares that failure."""
        slot, asked_at = self._slot(endpoint), time.monotonic()
        with slot.lock:
            if slot.connection is not None and slot.connection.alive:
                slot.used_at = time.monotonic()
                return slot.connection
            if slot.error is not None and slot.failed_at > asked_at:
                raise slot.error
            try:
                slot.connection = self._open(endpoint, options)
            except RemoteError as error:
                slot.error, slot.failed_at = error, time.monotonic()
                raise
            slot.used_at = time.monotonic()
            connection = slot.connection
        self._close_idle(connection)
        return connection

    def _open(self, endpoint: Endpoint, options: SshOptions) -> "Connection":
        try:
            from l0_infra.core.exec.ssh.connection import Connection
        except ModuleNotFoundError as error:
            raise UsageError(
                endpoint.where,
                found=f"no {error.name} installed",
                expected="what ssh needs",
                hint="pip install 'ogai[cluster]'",
            ) from error
        connection = Connection.open(endpoint, options, self._via(endpoint, options))
        with self._lock:
            self.opened += 1
        return connection

    def _via(self, endpoint: Endpoint, options: SshOptions) -> "Connection | None":
        """Return the last jump's connection; it is itself reached through the jumps before it."""
        if not endpoint.jumps:
            return None
        *before, last = endpoint.jumps
        name, its_options = hop_options(last, options)
        hop = resolve(name, its_options)
        return self._connection(replace(hop, jumps=tuple(before)) if before else hop, its_options)

    def _close_idle(self, newest: "Connection") -> None:
        with self._lock:
            used = sorted((slot for slot in self._slots.values() if slot.connection), key=lambda s: s.used_at)
            surplus = len(used) - self._keep
        for slot in used[: max(0, surplus)]:
            connection = slot.connection
            if connection is not None and connection is not newest and connection.idle:
                slot.connection = None
                connection.close()
