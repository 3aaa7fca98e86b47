"""Many nodes, a line each."""

from collections import Counter
from collections.abc import Sequence

from l0_infra.core.units import format_bytes
from l0_infra.schemas import NodeFacts
from ogai.flows.node import lost_of
from ogai.render.table import Column, print_table

__all__ = ["name_of", "print_nodes"]


def print_nodes(nodes: Sequence[NodeFacts]) -> None:
    """Print a table of nodes on stdout."""
    print_table(COLUMNS, nodes)


def name_of(facts: NodeFacts) -> str:
    """Name a node as it was asked for, else as it calls itself."""
    return facts.node or facts.hostname or "node"


def _system(facts: NodeFacts) -> str:
    words = (f"{facts.os.id or ''} {facts.os.version or ''}".strip(), facts.os.kernel)
    return ", ".join(word for word in words if word) or "?"


def _accelerators(facts: NodeFacts) -> str:
    models = Counter(one.model or one.vendor for one in facts.accelerators)
    if models:
        return ", ".join(f"{count} × {model}" for model, count in models.items())
    return (
        "?"
        if lost_of(facts) or any(one.what != "node" and "smi" in one.what for one in facts.unread)
        else "none"
    )


def _fabric(facts: NodeFacts) -> str:
    if facts.fabric is None:
        return "?"
    kinds = Counter(
        (port.rate_bits_per_s, port.link_layer) for port in facts.fabric if port.state == "active"
    )
    return (
        ", ".join(f"{count} × {_rate(rate)} {layer or ''}".strip() for (rate, layer), count in kinds.items())
        or "none"
    )


def _rate(rate: int | None) -> str:
    return "?" if rate is None else f"{rate / 1e9:g}G"


def _state(facts: NodeFacts) -> str:
    lost = lost_of(facts)
    if lost is not None:
        return lost.reason
    return f"{len(facts.unread)} not read" if facts.unread else "ok"


COLUMNS: tuple[Column[NodeFacts], ...] = (
    Column(title="NODE", value=name_of),
    Column(title="LOOK", value=_state),
    Column(title="SYSTEM", value=_system),
    Column(title="CPUS", value=lambda facts: str(facts.cpu.threads or "?"), align="right"),
    Column(
        title="MEMORY",
        value=lambda facts: (
            "?" if facts.memory.total_bytes is None else format_bytes(facts.memory.total_bytes)
        ),
        align="right",
    ),
    Column(title="ACCELERATORS", value=_accelerators),
    Column(title="FABRIC", value=_fabric),
)
