"""Versions of what NVIDIA software a node has: driver, CUDA, NCCL, fabric manager, container toolkit."""

import re
from collections.abc import Iterator

from l0_infra.facts.bundle import Answers
from l0_infra.facts.nvidia import sources
from l0_infra.facts.nvidia.fabric_log import fabric_version
from l0_infra.facts.nvidia.listing import parse_rows, rows_of
from l0_infra.facts.nvidia.log import parse_log_versions
from l0_infra.facts.nvidia.table import parse_table_versions
from l0_infra.facts.tree import parse_tree
from l0_infra.schemas import Software

__all__ = ["parse_software"]

MOST = 2000
"""Characters that the driver's file can have."""
NUMBER = r"([0-9]{1,4}(?:\.[0-9]{1,8}){1,4})"
MODULE = re.compile(rf"NVRM version:[^\n]{{0,200}}?(Open )?Kernel Module(?: for \S{{1,20}})?\s+{NUMBER}\s")
LIBRARY = re.compile(rf"NVML library version: {NUMBER}")
TOOLKIT = re.compile(rf"Container Toolkit CLI version {NUMBER}")
NCCL = re.compile(rf"/\S{{1,200}}/libnccl\.so\.{NUMBER}")
CUDA = re.compile(rf'(?:CUDA Version |"version" ?: ?"){NUMBER}')


def parse_software(answers: Answers) -> tuple[Software, ...]:
    """List each piece whose version is known; of CUDA and NCCL each version that is installed."""
    return tuple(dict.fromkeys((*_driver(answers), *_around(answers), *_libraries(answers))))


def _driver(answers: Answers) -> Iterator[Software]:
    """Yield what must fit together: kernel module, library, and what the driver tells of itself."""
    rows, _ = rows_of(answers[sources.GPUS.name].out)
    listed = next((gpu.driver_version for gpu in parse_rows(rows, None) if gpu.driver_version), "")
    table = parse_table_versions(answers[sources.TABLE.name].out)
    log = parse_log_versions(answers[sources.LOG.name].out)
    told = {**table, "driver": listed or table.get("driver", ""), **log}
    names = (("driver", "nvidia driver"), ("cuda", "cuda driver"), ("firmware", "nvidia gsp firmware"))
    for key, name in names:
        if version := told.get(key):
            yield Software(name=name, software_version=version, source=sources.TOOL)
    if module := MODULE.search(answers[sources.MODULE.name].out[:MOST] + "\n"):
        name = "nvidia open kernel module" if module[1] else "nvidia kernel module"
        yield Software(name=name, software_version=module[2], source="/proc/driver/nvidia/version")
    complaints = "\n".join(f"{answers[one.name].out}\n{answers[one.name].err}" for one in sources.FORMS)
    if library := LIBRARY.search(complaints):
        yield Software(name="nvidia library", software_version=library[1], source=sources.TOOL)


def _around(answers: Answers) -> Iterator[Software]:
    if version := fabric_version(answers):
        yield Software(name="fabric manager", software_version=version, source="nv-fabricmanager")
    if toolkit := TOOLKIT.search(answers[sources.CONTAINERS.name].out):
        yield Software(name="nvidia container toolkit", software_version=toolkit[1], source="nvidia-ctk")


def _libraries(answers: Answers) -> Iterator[Software]:
    """Yield CUDA toolkits and NCCL; where a link leads to a folder of the same version, that is told once."""
    out = answers[sources.LIBRARIES.name].out
    toolkits: dict[str, str] = {}
    for path, lines in parse_tree(out).items():
        text = "\n".join(lines)
        if ("CUDA SDK" in text or path.endswith(".txt")) and (match := CUDA.search(text)):
            toolkits.setdefault(match[1], path)
    for version, path in toolkits.items():
        yield Software(name="cuda toolkit", software_version=version, source=path)
    for match in (match for line in out.split("\n") if (match := NCCL.fullmatch(line.strip()))):
        yield Software(name="nccl", software_version=match[1], source=match[0])
