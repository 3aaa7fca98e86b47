"""What a node tells the controller of itself, and where its accelerators' files are; pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from l0_infra.core.nodeset import fold
from l0_infra.schemas import Accelerator, NodeFacts
from l1_podsys.slurm.configuration import feature_of

__all__ = ["render_gres_conf", "render_gres_line", "render_node_conf"]

MIB = 1024 * 1024
KEPT_BACK_SHARE, LEAST_KEPT_BACK = 0.02, 512 * MIB
"""Memory that work cannot have: the system's own."""

STEP_MIB = 64
"""Kernels differ by some MiB in what they manage: in steps, no update of one changes what is offered."""

GRES = {"nvidia": "gpu", "amd": "gpu", "ascend": "npu"}


def render_node_conf(facts: NodeFacts, node_class: str) -> str:
    """Write what `slurmd -Z --conf` takes; what slurmd finds out itself (sockets, cores, threads) is left to it."""
    fields = {
        "RealMemory": str(memory_mib(facts)) if facts.memory.total_bytes else "",
        "Feature": feature_of(node_class),
        "Gres": ",".join(_counted(facts.accelerators)),
    }
    return " ".join(f"{key}={value}" for key, value in fields.items() if value)


def memory_mib(facts: NodeFacts) -> int:
    """Return the memory offered to work, in MiB: all but what the system needs itself."""
    total = facts.memory_usable_bytes or facts.memory.total_bytes or 0
    offered = (total - max(LEAST_KEPT_BACK, int(total * KEPT_BACK_SHARE))) // MIB
    return max(STEP_MIB, offered // STEP_MIB * STEP_MIB)


def render_gres_conf(lines: Mapping[str, str]) -> str:
    """Write gres.conf from each node's own line (`render_gres_line`); nodes alike share one."""
    alike: dict[str, list[str]] = {}
    for node, line in lines.items():
        for text in line.splitlines():
            alike.setdefault(text, []).append(node)
    texts = (f"NodeName={fold(nodes)} {text}" for text, nodes in alike.items())
    return "\n".join(("# Managed by ogai, role slurm_controller.", *texts, ""))


def render_gres_line(accelerators: Sequence[Accelerator]) -> str:
    """Write what gres.conf says of one node's accelerators, a line for each type; empty when it has none."""
    files: dict[tuple[str, str], list[str]] = {}
    for one in accelerators:
        files.setdefault((GRES[one.vendor], kind_of(one)), []).append(one.device_file or "")
    return "\n".join(
        f"Name={name} Type={kind} File={fold(found)}"
        if all(found)
        else f"Name={name} Type={kind} Count={len(found)}"
        for (name, kind), found in files.items()
    )


def _counted(accelerators: Sequence[Accelerator]) -> list[str]:
    counts = Counter((GRES[one.vendor], kind_of(one)) for one in accelerators)
    return [f"{name}:{kind}:{count}" for (name, kind), count in counts.items()]


def kind_of(accelerator: Accelerator) -> str:
    """Name its type as users ask for it: the data sheet's name, else the product's, without what Slurm cannot read."""
    text = accelerator.device or accelerator.model or accelerator.vendor
    return re.sub(r"[^a-z0-9.]+", "_", text.lower()).strip("_")
