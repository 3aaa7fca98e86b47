"""What `sinfo --json` of 22.05 and `scontrol show nodes --json` of later versions print."""

from typing import TypeAlias

import msgspec

from l0_infra.core.errors import EngineError
from l1_podsys.slurm.node import SlurmNode

__all__ = ["parse_nodes_json"]


class _Number(msgspec.Struct):
    """A number as versions since 23.02 write it where there may be none."""

    set: bool = False
    number: int = 0


Number: TypeAlias = int | _Number


class _Node(msgspec.Struct):
    name: str
    state: str | tuple[str, ...] = ()
    state_flags: tuple[str, ...] = ()
    cpus: int | None = None
    alloc_cpus: int | None = None
    real_memory: int | None = None
    gres: str = ""
    version: str = ""
    slurmd_version: str = ""
    reason: str = ""
    reason_set_by_user: str | None = None
    reason_changed_at: Number = 0


class _Nodes(msgspec.Struct):
    nodes: tuple[_Node, ...]


def parse_nodes_json(text: str) -> tuple[SlurmNode, ...]:
    """Read nodes, in the order printed. Raises EngineError for anything else."""
    try:
        nodes = msgspec.json.decode(text, type=_Nodes).nodes
    except msgspec.DecodeError as error:
        raise EngineError("Slurm's nodes", found=str(error), expected="JSON with a list `nodes`") from error
    return tuple(map(_node, nodes))


def _node(node: _Node) -> SlurmNode:
    states = (node.state,) if isinstance(node.state, str) else node.state
    changed = node.reason_changed_at
    at = changed if isinstance(changed, int) else changed.number if changed.set else 0
    return SlurmNode(
        name=node.name,
        states=frozenset(word.upper() for word in (*states, *node.state_flags)),
        cpus=node.cpus,
        cpus_allocated=node.alloc_cpus,
        memory_bytes=None if node.real_memory is None else node.real_memory * 2**20,
        gres=node.gres,
        slurm_version=node.version or node.slurmd_version or None,
        reason=node.reason,
        reason_by=node.reason_set_by_user or "",
        reason_at=str(at) if at else "",
    )
