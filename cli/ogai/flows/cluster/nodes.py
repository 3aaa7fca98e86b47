"""The nodes of a cluster over ssh: whom a check is about, and how its work reaches them."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Runner, SshPool, fan_out
from ogai.flows.node.targets import Target, runner_of

__all__ = ["Nodes"]

Value = TypeVar("Value")


class Nodes:
    """The nodes of a cluster by name, with connections that stay until the end of the block."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self.targets = {str(target.name): target for target in targets}
        self.pool = SshPool(keep=min(len(targets), 256))

    def __enter__(self) -> "Nodes":
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.close()

    def runner(self, name: str) -> Runner:
        """Return what reaches one node."""
        return runner_of(self.targets[name], self.pool)

    def reach(
        self,
        nodes: Sequence[str],
        work: Callable[[str, Runner], Value],
        *,
        limit_s: float,
        at_once: int = 64,
        on_done: Callable[[str, float], None] | None = None,
    ) -> Mapping[str, Value | OgaiError]:
        """Do work on nodes, many at once; a failure that is no failure of a node is raised."""
        results = fan_out(
            nodes,
            lambda name: work(name, self.runner(name)),
            limit=at_once,
            deadline_s=limit_s,
            on_done=None if on_done is None else lambda result: on_done(result.item, result.elapsed_s),
        )
        found: dict[str, Value | OgaiError] = {}
        for result in results:
            if result.error is not None and not isinstance(result.error, OgaiError):
                raise result.error
            found[result.item] = result.error if result.error is not None else _done(result.value)
        return found


def _done(value: Value | None) -> Value:
    return value  # type: ignore[return-value]  # a result without an error has the value of its work
