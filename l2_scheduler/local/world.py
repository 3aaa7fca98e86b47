"""This machine as placement sees it: one node, less what others hold."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from l1_podsys.schemas import AcceleratorState, ClusterState, NodeState
from l2_scheduler.local.ledger import Claim
from l2_scheduler.local.records import Record

__all__ = ["Probe", "cluster_of", "foreign_claims"]


class Probe(Protocol):
    """Observe this machine: its size and, if wanted, its accelerators and who uses them outside the ledger."""

    def __call__(self, *, accelerators: bool = True) -> NodeState: ...


def foreign_claims(
    claims: Iterable[Claim], user: int, home: str, active: Iterable[Record]
) -> tuple[Claim, ...]:
    """Pick the claims that do not belong to this queue's active jobs."""
    mine = {(record.job_id, record.status.attempt) for record in active}
    return tuple(
        claim
        for claim in claims
        if (claim.user, claim.home) != (user, home) or (claim.job_id, claim.attempt) not in mine
    )


def cluster_of(node: NodeState, foreign: tuple[Claim, ...]) -> ClusterState:
    """Describe the machine with the foreign claims taken off."""
    holders = {held: claim for claim in foreign for held in claim.accelerators}
    rest = msgspec.structs.replace(
        node,
        foreign_cpus=sum(claim.cpus for claim in foreign),
        foreign_memory_bytes=sum(claim.memory_bytes for claim in foreign),
        accelerators=tuple(mark(accelerator, holders) for accelerator in node.accelerators),
    )
    return ClusterState(name="this-machine", nodes=(rest,))


def mark(accelerator: AcceleratorState, holders: dict[str, Claim]) -> AcceleratorState:
    claim = holders.get(accelerator.id)
    if claim is None:
        return accelerator
    return msgspec.structs.replace(accelerator, busy=f"job {claim.job_id} of uid {claim.user}")
