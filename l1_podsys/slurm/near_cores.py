"""Which cores lie next to which accelerator, in Slurm's numbers; pure.

gres.conf counts cores, not logical CPUs, and along the sockets: those of the first come first, whatever the kernel
calls them (gres.conf(5), `Cores`; as `lstopo -l`). Work is placed by whole sockets, and 24.11 takes a node out of work
of which a line names a part of one. So an accelerator gets all cores of each socket that it lies next to. What is not
sure is not said: Slurm believes it.
"""

from collections.abc import Mapping, Sequence

from l0_infra.core.errors import UsageError
from l0_infra.core.nodeset import expand
from l0_infra.schemas import NodeFacts

__all__ = ["near_cores"]

Cpus = frozenset[int]


def near_cores(facts: NodeFacts, layout: tuple[int, int, int] | None) -> Mapping[str, str]:
    """Return the cores next to each accelerator, `0-47`, by its id; empty where one is not sure, or all have all cores.

    `layout`: sockets, cores of a socket, threads of a core, as Slurm is told them.
    """
    sockets = () if layout is None else _sockets(facts, layout)
    if layout is None or len(sockets) < 2 or facts.topology is None:
        return {}
    cpus_of = {one.accelerator: _cpus(one.cpus) for one in facts.topology.affinities}
    near = {one.id: _cores(cpus_of.get(one.id, Cpus()), sockets, layout[1]) for one in facts.accelerators}
    everything = _spans(range(len(sockets)), layout[1])
    return near if all(near.values()) and set(near.values()) != {everything} else {}


def _sockets(facts: NodeFacts, layout: tuple[int, int, int]) -> Sequence[Cpus]:
    """Return the CPUs of each socket as Slurm orders them, by the first; none unless they are what it is told.

    With numbers left out (a CPU that is offline) slurmd would look for CPUs beyond the last that it counts.
    """
    count, cores, threads = layout
    sockets = [_cpus(text) for text in facts.cpu.socket_cpus]
    whole = Cpus().union(*sockets) == Cpus(range(count * cores * threads))
    alike = all(len(socket) == cores * threads for socket in sockets)
    return sockets if len(sockets) == count and whole and alike else ()


def _cores(cpus: Cpus, sockets: Sequence[Cpus], cores: int) -> str:
    """Write the cores of all sockets that have any of these CPUs; nothing when some are of none."""
    if not cpus <= Cpus().union(*sockets):
        return ""
    return _spans([number for number, socket in enumerate(sockets) if cpus & socket], cores)


def _spans(sockets: Sequence[int], cores: int) -> str:
    spans: list[tuple[int, int]] = []
    for number in sockets:
        first, last = number * cores, (number + 1) * cores - 1
        begun = spans.pop()[0] if spans and spans[-1][1] == first - 1 else first
        spans.append((begun, last))
    return ",".join(f"{first}-{last}" if first < last else f"{first}" for first, last in spans)


def _cpus(text: str | None) -> Cpus:
    """Read a list of CPUs as the kernel writes it; what is none is empty."""
    try:
        return Cpus(int(one) for one in expand(f"[{text}]") if text)
    except (UsageError, ValueError):
        return Cpus()
