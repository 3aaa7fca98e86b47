"""Which nodes try to reach which, and whose fault it is when they do not: a few for each, however many there are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from l1_podsys.gates.catalogue import verdict
from l1_podsys.schemas import Verdict

__all__ = ["Edge", "choose_peers", "judge_mesh"]

RANDOM_PEERS = 2
FEW_WITNESSES = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Edge:
    """One node tried to reach another."""

    source: str
    target: str
    reached: bool


def choose_peers(nodes: Sequence[str], head: str, seed: int) -> Mapping[str, tuple[str, ...]]:
    """Choose for each node the head, the next in the ring, and those two distances by lot further: at most four.

    Distances are the same for all, so that each node is tried by as many as it tries. Another seed chooses others:
    rounds after each other see more of the mesh.
    """
    count = len(nodes)
    further = range(2, count)
    distances = (1, *Random(seed).sample(further, min(RANDOM_PEERS, len(further))))
    return {
        node: tuple(
            dict.fromkeys(
                one
                for one in (head, *(nodes[(index + distance) % count] for distance in distances))
                if one != node
            )
        )
        for index, node in enumerate(nodes)
    }


def judge_mesh(edges: Sequence[Edge], nodes: Sequence[str]) -> Iterator[Verdict]:
    """Judge each node: one that most who tried do not reach is to blame itself, else who does not reach.

    Edges to nodes that are not listed (those that did not answer at all) say nothing of who tried.
    """
    listed = set(nodes)
    known = [edge for edge in edges if edge.target in listed and edge.source in listed]
    blamed = {node for node in nodes if _shut(node, known)}
    for node in nodes:
        yield _judge(node, [edge for edge in known if edge.source == node], blamed, known)


def _shut(node: str, edges: Sequence[Edge]) -> bool:
    reached = [edge.reached for edge in edges if edge.target == node]
    failures = reached.count(False)
    return failures >= FEW_WITNESSES and failures * 2 > len(reached)


def _judge(node: str, own: Sequence[Edge], blamed: set[str], edges: Sequence[Edge]) -> Verdict:
    failed = [edge.target for edge in own if not edge.reached and edge.target not in blamed]
    if node in blamed:
        missed = [edge.source for edge in edges if edge.target == node and not edge.reached]
        return verdict(node, "ssh.mesh", "critical", f"not reached by {', '.join(sorted(missed))}")
    if failed:
        return verdict(node, "ssh.mesh", "critical", f"does not reach {', '.join(failed)}")
    if not own:
        return verdict(node, "ssh.mesh", "ok", "no other node to reach")
    return verdict(
        node, "ssh.mesh", "ok", f"reaches {', '.join(edge.target for edge in own if edge.reached)}"
    )
