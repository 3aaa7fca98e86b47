"""How the gates reach nodes: whoever composes them says how, for they know no connection."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Runner
from l1_podsys.schemas import Cluster

__all__ = ["Reach", "needs_sudo"]

Value = TypeVar("Value")


class Reach(Protocol):
    """Does work on nodes, many at once; one that hangs or fails costs the others nothing."""

    def __call__(
        self,
        nodes: Sequence[str],
        work: Callable[[str, Runner], Value],
        *,
        limit_s: float,
        at_once: int = 64,
    ) -> Mapping[str, Value | OgaiError]:
        """Return what came of each node, in their order; it is given up after `limit_s` seconds."""


def needs_sudo(cluster: Cluster) -> bool:
    """Tell whether root is reached by sudo."""
    return cluster.ssh.sudo and cluster.ssh.user != "root"
