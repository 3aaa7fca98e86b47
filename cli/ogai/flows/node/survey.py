"""Look at many nodes at once: one round trip each, and one that hangs holds nobody back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import time
from typing import TypeVar

import msgspec

from l0_infra import probe_node
from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Result, Runner, SshPool, fan_out
from l0_infra.schemas import NodeFacts, Unread
from ogai.flows.node.targets import Target, runner_of

__all__ = ["LIMIT_S", "OnLooked", "look_at", "survey", "visit"]

LIMIT_S = 15
"""What one fact may take."""

GRACE_S = 25
"""What a node may take beyond that: to connect, to send, and to be ended."""

AT_ONCE = 64

Value = TypeVar("Value")
OnLooked = Callable[[NodeFacts, float], None]
"""Called with the facts of each node as they arrive, and the seconds they took."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Visit:
    """A target, and the name that results and errors show."""

    target: Target

    def __str__(self) -> str:
        return self.target.name or "this machine"


def survey(
    targets: Sequence[Target],
    *,
    limit_s: int = LIMIT_S,
    on_looked: OnLooked | None = None,
    pool: SshPool | None = None,
) -> tuple[NodeFacts, ...]:
    """Look at every target, in their order; one that cannot be reached has facts that say so in `unread`.

    A pool keeps connections for the next survey; without one they are closed at the end.
    """

    def done(result: Result[Target, NodeFacts]) -> None:
        if on_looked is not None:
            on_looked(_facts_of(result, limit_s), result.elapsed_s)

    results = visit(
        targets,
        lambda target, runner: look_at(runner, target, limit_s=limit_s),
        limit_s=limit_s,
        on_done=done,
        pool=pool,
    )
    return tuple(_facts_of(result, limit_s) for result in results)


def look_at(runner: Runner, target: Target, *, limit_s: int = LIMIT_S) -> NodeFacts:
    """Look at one node; raises RemoteError when it cannot be reached."""
    facts = probe_node(runner, time(), limit_s=limit_s, sudo=target.sudo)
    return msgspec.structs.replace(facts, node=target.name)


def visit(
    targets: Sequence[Target],
    work: Callable[[Target, Runner], Value],
    *,
    limit_s: int,
    on_done: Callable[[Result[Target, Value]], None] | None = None,
    pool: SshPool | None = None,
) -> tuple[Result[Target, Value], ...]:
    """Do work on every target through its runner, many at once; a node that is late is given up, whatever holds it."""
    shared = pool or SshPool()

    def do(visited: _Visit) -> Value:
        runner = runner_of(visited.target, shared)
        try:
            return work(visited.target, runner)
        finally:
            if pool is None:
                runner.close()

    try:
        results = fan_out(
            [_Visit(target=target) for target in targets],
            do,
            limit=AT_ONCE,
            deadline_s=limit_s + GRACE_S,
            on_done=None if on_done is None else lambda result: on_done(_of_target(result)),
        )
    finally:
        if pool is None:
            shared.close()
    return tuple(map(_of_target, results))


def _of_target(result: Result[_Visit, Value]) -> Result[Target, Value]:
    return Result(item=result.item.target, value=result.value, error=result.error, elapsed_s=result.elapsed_s)


def _facts_of(result: Result[Target, NodeFacts], limit_s: int) -> NodeFacts:
    """Take what a node said; a failure that is no failure of the node is raised."""
    if result.value is not None:
        return result.value
    error = result.error
    if not isinstance(error, OgaiError):
        raise error if error is not None else AssertionError
    name = result.item.name
    reason = Unread(
        what="node",
        reason="hung" if result.elapsed_s >= limit_s + GRACE_S else "unreachable",
        detail=error.found,
        hint=error.hint or f"expected {error.expected}",
    )
    return NodeFacts(node=name, probed_at=time(), unread=(reason,))
