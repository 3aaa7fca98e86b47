"""The table that `nvidia-smi` prints for people; of many a customer's nodes it is all there is."""

import re
from collections.abc import Mapping
from itertools import pairwise

import msgspec

from l0_infra.facts.nvidia.words import count, known, quantity
from l0_infra.facts.vendor import mebibytes, pci_address, percent, pid
from l0_infra.schemas import Accelerator, AcceleratorProcess, Condition

__all__ = ["parse_table", "parse_table_versions"]

WIDEST = 400
"""Characters of a line that are looked at."""

NAME = re.compile(r"([0-9]{1,3})\s+(\S.{0,80}?)\s+(On|Off|N/A|WDDM|TCC|MCDM)")
VERSIONS = {
    "driver": re.compile(r"(?:Driver|KMD) Version: ([0-9.]{1,20})"),
    "cuda": re.compile(r"CUDA (?:UMD )?Version: ([0-9.]{1,20})"),
}
VALUES = re.compile(r"\S{1,6}\s+(\S{1,6})\s+\S{1,4}\s+(\S{1,8})\s*/\s*(\S{1,8})")
PROCESS = re.compile(
    r"([0-9]{1,3})\s+(?:(?:N/A|[0-9]{1,3})\s+(?:N/A|[0-9]{1,3})\s+)?([0-9]{1,8})\s+(?:C|G|C\+G|M\+C)\s+"
    r"(\S.*?)\s+(?:([0-9]{1,9})MiB|N/A)"
)


def parse_table_versions(out: str) -> Mapping[str, str]:
    """Read the versions in the table's head: of the `driver`, and of the `cuda` it can serve at most."""
    return {name: match[1] for name, version in VERSIONS.items() if (match := version.search(out))}


def parse_table(out: str) -> tuple[Accelerator, ...]:
    """Read GPUs, each of which takes two lines or three, and the processes below them."""
    lines = [line[:WIDEST] for line in out.split("\n") if "|" in line]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    driver = parse_table_versions(out).get("driver")
    held = _processes(rows)
    gpus = [
        _gpu(match, first[1], second, driver)
        for first, second in pairwise(rows)
        if len(first) == len(second) == 3 and (match := NAME.fullmatch(first[0]))
    ]
    return tuple(
        msgspec.structs.replace(gpu, processes=None if held is None else held.get(gpu.index, ()))
        for gpu in gpus
    )


def _gpu(match: re.Match[str], bus: str, values: list[str], driver: str | None) -> Accelerator:
    used, _, total = values[1].partition("/")
    return Accelerator(
        id=f"nvidia:{int(match[1])}",
        vendor="nvidia",
        index=int(match[1]),
        model=known(match[2]),
        pci=pci_address(bus.split(" ")[0]),
        memory_bytes=_size(total),
        memory_used_bytes=_size(used),
        utilization_percent=percent(values[2].split(" ")[0]),
        driver_version=driver,
        condition=_condition({"On": True, "Off": False}.get(match[3]), values[0]),
    )


def _condition(persistence: bool | None, values: str) -> Condition:
    """Read temperature and power from `N/A   43C    P0    59W / 400W`."""
    match = VALUES.fullmatch(values)
    temperature, power, limit = match.groups() if match else (None, None, None)
    return Condition(
        persistence=persistence,
        temperature_c=quantity(temperature, "C"),
        power_w=quantity(power, "W"),
        power_limit_w=quantity(limit, "W"),
    )


def _size(word: str) -> int | None:
    size = count(word.strip(), "MiB")
    return None if size is None else mebibytes(str(size))


def _processes(rows: list[list[str]]) -> Mapping[int, tuple[AcceleratorProcess, ...]] | None:
    """List who holds which GPU; None where the table has no such part, or names one that is no process."""
    lines = [row[0] for row in rows if len(row) == 1]
    told = [match for line in lines if (match := PROCESS.fullmatch(line))]
    listed = any(line.startswith("Processes:") for line in lines)
    if not listed or any(pid(match[2]) is None for match in told):
        return None
    return {
        index: tuple(_process(match) for match in told if int(match[1]) == index)
        for index in {int(match[1]) for match in told}
    }


def _process(match: re.Match[str]) -> AcceleratorProcess:
    program = match[3].split(" ")[0].rpartition("/")[2]
    return AcceleratorProcess(pid=int(match[2]), memory_bytes=mebibytes(match[4] or ""), name=known(program))
