"""The books of one pass: what each node that takes jobs has free, who holds the rest, and until when."""

from collections.abc import Iterable
from typing import NamedTuple

from l1_podsys.schemas import ClusterState, NodeState
from l2_scheduler.placement.accelerators import Accelerators
from l2_scheduler.placement.fit import Amount, Room, Shape
from l2_scheduler.schemas import JobStatus, NodeShare

__all__ = ["Books", "Holding", "capacity", "unheld"]


class Holding(NamedTuple):
    """What a job holds on one node, and when it surely lets go (infinity: nobody can say)."""

    until: float
    node: int
    amount: Amount
    job_id: str


def capacity(node: NodeState) -> Amount:
    """Everything the node offers, whoever holds it."""
    return Amount(len(node.accelerators), node.cpus, node.memory_bytes)


def unheld(node: NodeState) -> Amount:
    """What the node offers beside what is used outside this queue."""
    quiet = sum(accelerator.busy is None for accelerator in node.accelerators)
    return Amount(quiet, node.cpus - node.foreign_cpus, node.memory_bytes - node.foreign_memory_bytes)


class Books:
    """The nodes that take jobs, by index; only `take` changes them once opened."""

    def __init__(self, cluster: ClusterState, active: Iterable[tuple[JobStatus, float]]) -> None:
        """Open the books; `active` pairs each job that holds something with its latest end."""
        nodes = [node for node in cluster.nodes if node.state == "idle"]
        self.names = tuple(node.name for node in nodes)
        self.accelerated = tuple(bool(node.accelerators) for node in nodes)
        self.holdings: list[Holding] = []
        self._accelerators = [Accelerators(node) for node in nodes]
        free = [unheld(node) for node in nodes]
        index = {name: number for number, name in enumerate(self.names)}
        for status, until in active:
            for share in status.allocation:
                if (node := index.get(share.node)) is not None:
                    amount = Amount(
                        self._accelerators[node].hold(share.accelerators), share.cpus, share.memory_bytes
                    )
                    free[node] = free[node].minus(amount)
                    self.holdings.append(Holding(until, node, amount, status.job_id))
        self.room = Room(free, self.accelerated)

    def take(self, job_id: str, shape: Shape, nodes: Iterable[int], until: float) -> tuple[NodeShare, ...]:
        """Give the job its shape on these nodes, which must have it free."""
        self.holdings.extend(Holding(until, node, shape.need, job_id) for node in nodes)
        return tuple(self._share(node, shape.need) for node in nodes)

    def _share(self, node: int, need: Amount) -> NodeShare:
        self.room[node] = self.room[node].minus(need)
        return NodeShare(
            node=self.names[node],
            cpus=need.cpus,
            memory_bytes=need.memory_bytes,
            accelerators=self._accelerators[node].take(need.gpus),
        )
