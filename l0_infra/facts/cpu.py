"""Processors and NUMA nodes, from the kernel's own topology."""

import re

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import Tree, cpu_list, cpu_set, integer, settings, text_at
from l0_infra.schemas import Cpu, NumaNode

__all__ = ["CPU", "LSCPU", "ONLINE", "parse_cpu", "parse_numa"]

ONLINE = "/sys/devices/system/cpu/online"
TOPOLOGY = "/sys/devices/system/cpu/cpu[0-9]*/topology"
NODE = "/sys/devices/system/node/node[0-9]*"

NAMED = "while read -r line; do case $line in 'model name'* | '') break ;; esac; done </proc/cpuinfo"
"""Reads the line that names the first processor's model; it is empty where there is none."""

CPU = Source(
    name="cpu.txt",
    program="grep",
    quick=True,
    command=f'{NAMED}; [ -z "$line" ] || echo "/proc/cpuinfo:$line";'
    f" grep -H '' {ONLINE} {TOPOLOGY}/physical_package_id {TOPOLOGY}/thread_siblings_list"
    f" {NODE}/cpulist {NODE}/meminfo",
)
LSCPU = Source(
    name="lscpu.txt",
    program="lscpu",
    when=f'{NAMED}; [ -z "$line" ]',
    command="lscpu",
    whole="lscpu",
)
"""It takes long on machines with many processors, and is asked only where /proc/cpuinfo does not name the model."""


def parse_cpu(tree: Tree, lscpu: str) -> Cpu:
    """Count sockets, cores and threads that are online; the model may be known to `lscpu` only (Arm)."""
    online = cpu_set(text_at(tree, ONLINE))
    packages = _packages(tree)
    cores = _values(tree, "thread_siblings_list")
    return Cpu(
        model=_model(tree, lscpu),
        sockets=len(packages) or None,
        cores=len(cores) or None,
        threads=len(online) if online else None,
        socket_cpus=tuple(cpu_list(cpus) for cpus in sorted(packages.values(), key=min)),
    )


def parse_numa(tree: Tree) -> tuple[NumaNode, ...]:
    """List NUMA nodes in order of their numbers; one without CPUs has an empty list."""
    found = [
        (int(match[1]), path) for path in tree if (match := re.search(r"/node([0-9]{1,6})/cpulist$", path))
    ]
    return tuple(
        NumaNode(id=number, cpus=text_at(tree, path) or "", memory_bytes=_memory_of(tree, path))
        for number, path in sorted(found)
    )


def _memory_of(tree: Tree, cpulist: str) -> int | None:
    line = text_at(tree, cpulist.replace("cpulist", "meminfo")) or ""
    match = re.search(r"MemTotal:\s+([0-9]{1,15}) kB$", line)
    return int(match[1]) * 1024 if match else None


def _packages(tree: Tree) -> dict[int, set[int]]:
    """Return the CPUs of each package, by its number; nothing when the package of any CPU is not known."""
    found: dict[int, set[int]] = {}
    for path in tree:
        if match := re.search(r"/cpu([0-9]{1,6})/topology/physical_package_id$", path):
            package = integer(text_at(tree, path))
            if package is None:
                return {}
            found.setdefault(package, set()).add(int(match[1]))
    return found


def _values(tree: Tree, file: str) -> frozenset[str]:
    return frozenset(lines[0] for path, lines in tree.items() if path.endswith(f"/topology/{file}"))


def _model(tree: Tree, lscpu: str) -> str | None:
    told = settings(tuple(lscpu.split("\n")), ":").get("Model name")
    named = settings(tree.get("/proc/cpuinfo", ()), ":").get("model name")
    return named or (told if told != "-" else None) or None
