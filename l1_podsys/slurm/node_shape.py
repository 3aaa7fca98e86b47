"""What Slurm is told of a node: processors, memory, accelerators and class, from the node's facts; pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from l0_infra.core.errors import FactsMissingError
from l0_infra.schemas import Accelerator, NodeFacts
from l1_podsys.slurm.near_cores import near_cores

__all__ = ["Devices", "NodeShape", "feature_name", "node_conf_line", "shape_of"]

MIB = 2**20
LEAST_RESERVE = 512 * MIB
MOST_RESERVE = 16 * 2**30
RESERVED_PART = 20
STEP_MIB = 64
"""Kernels differ by some MiB from boot to boot; in steps, what is offered rarely changes with them."""

FILES = {
    "amd": lambda index: f"/dev/dri/renderD{128 + index}",
    "ascend": lambda index: f"/dev/davinci{index}",
    "nvidia": lambda index: f"/dev/nvidia{index}",
}
"""How the vendors' drivers number their device files, for an accelerator whose file was not read."""


class Devices(msgspec.Struct, frozen=True, kw_only=True):
    """Accelerators of one type in a node, with their device files in the order of their indices.

    `cores` are those next to all of them, as Slurm counts them; empty: none is nearer than another, or nobody knows.
    """

    vendor: str
    type: str
    files: tuple[str, ...]
    cores: str = ""


class NodeShape(msgspec.Struct, frozen=True, kw_only=True):
    """What Slurm needs to know of a node. `layout` is sockets, cores of a socket, threads of a core, if all fit."""

    cpus: int
    layout: tuple[int, int, int] | None = None
    memory_mib: int
    devices: tuple[Devices, ...] = ()
    feature: str = "default"


def shape_of(facts: NodeFacts, node_class: str) -> NodeShape:
    """Tell from facts what work gets on a node. Raises FactsMissingError when CPUs or memory are not known."""
    cpus = [count for count in (facts.cpu.threads, facts.cpus_usable) if count]
    memory = [size for size in (facts.memory.total_bytes, facts.memory_usable_bytes) if size]
    if not cpus or not memory:
        missing = "number of CPUs" if not cpus else "size of the memory"
        raise FactsMissingError(
            facts.node or facts.hostname or "node",
            found=f"no {missing}",
            expected="what the scheduler may give to work",
            hint="`ogai node probe` tells why it could not be read",
        )
    layout = _layout(facts, min(cpus))
    return NodeShape(
        cpus=min(cpus),
        layout=layout,
        memory_mib=_memory_for_work(facts, min(memory)) // MIB // STEP_MIB * STEP_MIB,
        devices=tuple(_devices(facts.accelerators, near_cores(facts, layout))),
        feature=feature_name(node_class),
    )


def node_conf_line(shape: NodeShape) -> str:
    """Write what a node says of itself when it joins, as `slurmd --conf` takes it."""
    parts = [f"CPUs={shape.cpus}"]
    if shape.layout is not None:
        sockets, cores, threads = shape.layout
        parts += [
            "Boards=1",
            f"SocketsPerBoard={sockets}",
            f"CoresPerSocket={cores}",
            f"ThreadsPerCore={threads}",
        ]
    parts.append(f"RealMemory={shape.memory_mib}")
    if shape.devices:
        counts: Counter[str] = Counter()
        for one in shape.devices:
            counts[one.type] += len(one.files)
        parts.append("Gres=" + ",".join(f"gpu:{kind}:{count}" for kind, count in counts.items()))
    return " ".join([*parts, f"Feature={shape.feature}"])


def feature_name(node_class: str) -> str:
    """Write a class of nodes as a feature: what Slurm reads otherwise, such as `&` or a comma, becomes `_`."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", node_class)


def _layout(facts: NodeFacts, cpus: int) -> tuple[int, int, int] | None:
    """Return the layout when it accounts for every CPU that may be used; cores of two kinds do not."""
    sockets, cores, threads = facts.cpu.sockets, facts.cpu.cores, facts.cpu.threads
    if not sockets or not cores or threads != cpus or cores % sockets or threads % cores:
        return None
    return sockets, cores // sockets, threads // cores


def _memory_for_work(facts: NodeFacts, total: int) -> int:
    """Return what is left after huge pages and a twentieth (512 MiB to 16 GiB) for the system itself.

    A node with less memory than was told of it is taken out of work by Slurm; the reserve covers that, too.
    """
    pages = sum(pool.size_bytes * (pool.total or 0) for pool in facts.memory.hugepages)
    left = max(total - pages, 0)
    reserve = min(max(left // RESERVED_PART, LEAST_RESERVE), MOST_RESERVE, left // 2)
    return left - reserve


def _devices(accelerators: Sequence[Accelerator], near: Mapping[str, str]) -> Iterator[Devices]:
    """Yield those of each type, split where the cores next to them change: Slurm numbers them line by line."""
    kinds: dict[tuple[str, str], list[Accelerator]] = {}
    for one in sorted(accelerators, key=lambda one: (one.vendor, one.index)):
        kinds.setdefault((one.vendor, type_name(one)), []).append(one)
    for (vendor, kind), same in kinds.items():
        for cores, beside in groupby(same, key=lambda one: near.get(one.id, "")):
            yield Devices(vendor=vendor, type=kind, files=tuple(map(_file, beside)), cores=cores)


def type_name(one: Accelerator) -> str:
    """Name the type of an accelerator: its data sheet's name, else its model in small letters."""
    text = one.device or one.model or one.vendor
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def _file(one: Accelerator) -> str:
    return one.device_file or FILES[one.vendor](one.index)
