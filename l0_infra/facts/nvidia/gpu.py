"""One `<gpu>` of `nvidia-smi -q -x`: which it is, where it is, who holds it."""

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from l0_infra.facts.nvidia.memory import parse_ecc, parse_repair
from l0_infra.facts.nvidia.partitions import PartitionName, parse_partitioning
from l0_infra.facts.nvidia.state import parse_clocks, parse_condition
from l0_infra.facts.nvidia.words import LOST, count, flag, known, mebibytes_at, or_none, said
from l0_infra.facts.vendor import pci_address, percent, pid
from l0_infra.schemas import Accelerator, AcceleratorProcess, Board, FabricMembership, PcieLink

__all__ = ["address_of", "parse_gpu"]

FABRIC_FLAGS = ("route_recovery_in_progress", "route_unhealthy", "access_timeout_recovery")


def parse_gpu(
    gpu: Element, *, index: int, driver: str | None, partitions: Mapping[int, PartitionName]
) -> Accelerator:
    """Read one GPU of any version of the document (DTD v10 to v13); what is not said is None."""
    minor = count(said(gpu, "minor_number"))
    condition = parse_condition(gpu)
    return Accelerator(
        id=f"nvidia:{index}",
        vendor="nvidia",
        index=index,
        model=said(gpu, "product_name"),
        uuid=said(gpu, "uuid"),
        memory_bytes=mebibytes_at(gpu, "fb_memory_usage/total"),
        memory_used_bytes=mebibytes_at(gpu, "fb_memory_usage/used"),
        utilization_percent=percent(said(gpu, "utilization/gpu_util") or ""),
        pci=address_of(gpu),
        driver_version=driver,
        processes=None if condition.health in LOST else parse_processes(gpu),
        serial=said(gpu, "serial"),
        firmware_version=said(gpu, "vbios_version"),
        device_file=None if minor is None else f"/dev/nvidia{minor}",
        board=or_none(parse_board(gpu)),
        condition=or_none(condition),
        clocks=or_none(parse_clocks(gpu)),
        ecc=or_none(parse_ecc(gpu)),
        memory_repair=or_none(parse_repair(gpu)),
        pcie=or_none(parse_pcie(gpu)),
        fabric=or_none(parse_fabric(gpu)),
        partitioning=or_none(parse_partitioning(gpu, partitions)),
    )


def address_of(gpu: Element) -> str | None:
    """Return its PCI address, which stands in two places."""
    return pci_address(said(gpu, "pci/pci_bus_id") or "") or pci_address(gpu.get("id", ""))


def parse_processes(gpu: Element) -> tuple[AcceleratorProcess, ...] | None:
    """List who holds it; None when that is not told, or told of one without its process id."""
    holders = gpu.find("processes")
    if holders is None:
        return None
    rows = holders.findall("process_info")
    if not rows and (holders.text or "").strip() not in ("", "None"):
        return None
    found = [parse_process(row) for row in rows]
    whole = tuple(process for process in found if process is not None)
    return whole if len(whole) == len(found) else None


def parse_process(row: Element) -> AcceleratorProcess | None:
    number = pid(said(row, "pid") or "")
    program = (said(row, "process_name") or "").split(" ")[0].rpartition("/")[2]
    return (
        None
        if number is None
        else AcceleratorProcess(
            pid=number,
            memory_bytes=mebibytes_at(row, "used_memory"),
            name=known(program),
        )
    )


def parse_board(gpu: Element) -> Board:
    return Board(
        part_number=said(gpu, "board_part_number", "gpu_part_number"),
        module=count(said(gpu, "platformInfo/module_id", "gpu_module_id")),
        slot=count(said(gpu, "platformInfo/slot_number")),
        tray=count(said(gpu, "platformInfo/tray_index")),
        chassis_serial=said(gpu, "platformInfo/chassis_serial_number"),
    )


def parse_pcie(gpu: Element) -> PcieLink:
    generation, width = "pci/pci_gpu_link_info/pcie_gen", "pci/pci_gpu_link_info/link_widths"
    return PcieLink(
        generation=count(said(gpu, f"{generation}/current_link_gen")) or None,
        generation_max=count(said(gpu, f"{generation}/max_link_gen")) or None,
        generation_device_max=count(said(gpu, f"{generation}/max_device_link_gen")) or None,
        width=count(said(gpu, f"{width}/current_link_width"), "x") or None,
        width_max=count(said(gpu, f"{width}/max_link_width"), "x") or None,
        replays=count(said(gpu, "pci/replay_counter")),
    )


def parse_fabric(gpu: Element) -> FabricMembership:
    """Read its place in the NVLink fabric; one within the machine alone has a cluster id of zeros."""
    cluster = said(gpu, "fabric/clusterUuid")
    shared = cluster is not None and cluster.strip("0-") != ""
    return FabricMembership(
        state=said(gpu, "fabric/state"),
        status=said(gpu, "fabric/status"),
        cluster=cluster if shared else None,
        clique=said(gpu, "fabric/cliqueId") if shared else None,
        health=said(gpu, "fabric/health/summary"),
        complaints=parse_fabric_complaints(gpu),
    )


def parse_fabric_complaints(gpu: Element) -> tuple[str, ...]:
    """Say in words which parts of the fabric's health are not well."""
    told = {name: said(gpu, f"fabric/health/{name}") for name in FABRIC_FLAGS}
    complaints = [name.replace("_", " ") for name, word in told.items() if flag(word)]
    bandwidth = said(gpu, "fabric/health/bandwidth")
    if bandwidth not in (None, "Full"):
        complaints.append(f"bandwidth {bandwidth}")
    configuration = said(gpu, "fabric/health/incorrect_configuration")
    if configuration not in (None, "None", "False"):
        complaints.append(f"incorrect configuration: {configuration}")
    if flag(said(gpu, "fabric/health/partition_assigned")) is False:
        complaints.append("no partition assigned")
    return tuple(complaints)
