"""Time of one placement pass, beside a naive loop over the same inputs in the same run.

    python benchmarks/decide.py

The naive loop is what one writes first: for each waiting job in order, look at every node, add up what its jobs hold,
and take the first nodes that fit. It knows no backfill, no queues and no reasons.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from l1_podsys.schemas import AcceleratorState, ClusterState, NodeState
from l2_scheduler.placement import decide, explain
from l2_scheduler.schemas import Job, JobStatus, Limits, NodeShare, Queues, Resources

NOW = 1_800_000_000.0
ROUNDS = 5


class Case(NamedTuple):
    name: str
    cluster: ClusterState
    jobs: list[JobStatus]


def a_cluster(nodes: int, *, cpus: int, gpus: int) -> ClusterState:
    accelerators = tuple(AcceleratorState(id=f"nvidia:{index}") for index in range(gpus))
    return ClusterState(
        name="bench",
        nodes=tuple(
            NodeState(name=f"n{index}", cpus=cpus, memory_bytes=2**36 + index, accelerators=accelerators)
            for index in range(nodes)
        ),
    )


def waiting(count: int, *, shapes: int, gangs: int = 1) -> list[JobStatus]:
    """Jobs of so many shapes, some on up to `gangs` nodes, one in three without a time limit."""
    return [
        JobStatus(
            job_id=str(1_000_000 + number),
            submitted_at=NOW - count + number,
            job=Job(
                name="bench",
                command=("true",),
                limits=Limits(time_s=None if number % 3 == 0 else 60.0 * (number % 50 + 1)),
                resources=Resources(
                    nodes=number % gangs + 1,
                    cpus_per_task=number % shapes % 8 + 1,
                    gpus_per_node=number % 3 % 2,
                    memory_bytes_per_node=2**20 * (number % shapes + 1),
                ),
            ),
        )
        for number in range(count)
    ]


def filling(cluster: ClusterState) -> list[JobStatus]:
    """One job on each node that holds all of its CPUs and accelerators."""
    return [
        JobStatus(
            job_id=str(index + 1),
            state="RUNNING",
            started_at=NOW - 60.0,
            job=Job(name="busy", command=("true",), limits=Limits(time_s=3600.0 + index)),
            allocation=(
                NodeShare(
                    node=node.name, cpus=node.cpus, accelerators=tuple(a.id for a in node.accelerators)
                ),
            ),
        )
        for index, node in enumerate(cluster.nodes)
    ]


def naive(cluster: ClusterState, jobs: list[JobStatus]) -> int:
    """First fit by asking each node again for each job; how many start."""
    active = [status for status in jobs if status.state == "RUNNING"]
    held = {
        node.name: [s for status in active for s in status.allocation if s.node == node.name]
        for node in cluster.nodes
    }
    started = 0
    for status in sorted(
        (s for s in jobs if s.state == "PENDING"), key=lambda s: (s.submitted_at, int(s.job_id))
    ):
        asked = status.job.resources
        fitting = []
        for node in cluster.nodes:
            cpus = node.cpus - sum(share.cpus for share in held[node.name])
            memory_bytes = node.memory_bytes - sum(share.memory_bytes for share in held[node.name])
            taken = {accelerator for share in held[node.name] for accelerator in share.accelerators}
            free = [accelerator.id for accelerator in node.accelerators if accelerator.id not in taken]
            needed_bytes = asked.memory_bytes_per_node or 0
            if (
                cpus >= asked.cpus_per_task
                and memory_bytes >= needed_bytes
                and len(free) >= asked.gpus_per_node
            ):
                accelerators = tuple(free[: asked.gpus_per_node])
                share = NodeShare(
                    node=node.name,
                    cpus=asked.cpus_per_task,
                    memory_bytes=needed_bytes,
                    accelerators=accelerators,
                )
                fitting.append(share)
                if len(fitting) == asked.nodes:
                    break
        if len(fitting) == asked.nodes:
            started += 1
            for share in fitting:
                held[share.node].append(share)
    return started


def fastest(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Shortest time of some rounds, in seconds."""
    times = []
    for _ in range(rounds):
        begun = perf_counter()
        work()
        times.append(perf_counter() - begun)
    return min(times)


def cases() -> list[Case]:
    one, large = a_cluster(1, cpus=64, gpus=8), a_cluster(1000, cpus=64, gpus=8)
    return [
        Case("1 node, full, 10,000 waiting, 40 shapes", one, [*filling(one), *waiting(10_000, shapes=40)]),
        Case(
            "1 node, full, 10,000 waiting, all different",
            one,
            [*filling(one), *waiting(10_000, shapes=10_000)],
        ),
        Case("1 node, empty, 10,000 waiting, 40 shapes", one, waiting(10_000, shapes=40)),
        Case(
            "1,000 nodes, full, 10,000 waiting, 40 shapes",
            large,
            [*filling(large), *waiting(10_000, shapes=40)],
        ),
        Case("1,000 nodes, empty, 10,000 waiting, 40 shapes", large, waiting(10_000, shapes=40, gangs=4)),
    ]


def main() -> None:
    print(f"{'one pass':<48}{'decide':>10}{'naive':>12}{'naive/decide':>14}{'starts':>8}")
    for case in cases():
        ours = fastest(lambda case=case: decide(case.cluster, Queues(), case.jobs, NOW))
        theirs = fastest(lambda case=case: naive(case.cluster, case.jobs), rounds=1)
        starts = len(decide(case.cluster, Queues(), case.jobs, NOW).starts)
        print(
            f"{case.name:<48}{ours * 1e3:>7.1f} ms{theirs * 1e3:>9.1f} ms{theirs / ours:>13.1f}x{starts:>8}",
            flush=True,
        )
    why = cases()[0]
    last = why.jobs[-1].job_id
    took = fastest(lambda: explain(why.cluster, Queues(), why.jobs, NOW, last), rounds=1)
    print(f"why of the last of 10,000: {took:.2f} s")


if __name__ == "__main__":
    main()
