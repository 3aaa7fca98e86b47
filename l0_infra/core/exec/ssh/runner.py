"""A `Runner` for a host behind ssh."""

import threading
from types import TracebackType
from typing import Self

from l0_infra.core.exec.command import Command, OnOutput, Outcome
from l0_infra.core.exec.converse import converse
from l0_infra.core.exec.files import Commanded
from l0_infra.core.exec.ssh.endpoint import Endpoint, resolve
from l0_infra.core.exec.ssh.options import SshOptions
from l0_infra.core.exec.ssh.pool import SshPool

__all__ = ["SshRunner"]


class SshRunner(Commanded):
    """Runs commands on a host that `ssh TARGET` would reach; connects at the first command.

    With a `pool`, connections are shared with its other runners: give one to all runners of a cluster, so
    that a jump host is connected once. A deadline counts from the start of the command, after the connection
    stands.
    """

    def __init__(
        self, target: str, options: SshOptions | None = None, *, pool: SshPool | None = None
    ) -> None:
        self._target = target
        self._options = options or SshOptions()
        self._pool = pool or SshPool()
        self._own_pool = pool is None
        self._lock = threading.Lock()
        self._endpoint: Endpoint | None = None

    @property
    def target(self) -> str:
        """The name given."""
        return self._target

    def run(self, command: Command, *, on_output: OnOutput | None = None) -> Outcome:
        """Run a command; see `Runner.run`."""
        endpoint = self._resolved()
        return converse(
            endpoint.where,
            command,
            lambda argv: self._pool.start(endpoint, self._options, argv),
            password=self._options.sudo_password,
            on_output=on_output,
        )

    def close(self) -> None:
        """Close the host's connection (not those of its jump hosts, when the pool is shared)."""
        if self._own_pool:
            self._pool.close()
        elif self._endpoint is not None:
            self._pool.drop(self._endpoint)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _resolved(self) -> Endpoint:
        with self._lock:
            if self._endpoint is None:
                self._endpoint = resolve(self._target, self._options)
            return self._endpoint
