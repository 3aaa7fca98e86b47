"""The partitions of a GPU (MIG instances): the document tells their sizes, `nvidia-smi -L` what they are called."""

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from l0_infra.facts.nvidia.words import count, flag, mebibytes_at, said
from l0_infra.schemas import Partition, Partitioning

__all__ = ["PartitionName", "parse_partitioning"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PartitionName:
    """What `nvidia-smi -L` calls a partition."""

    profile: str
    uuid: str


def parse_partitioning(gpu: Element, names: Mapping[int, PartitionName]) -> Partitioning:
    """Read the mode and the partitions; their names are found by their number on the GPU."""
    devices = gpu.findall("mig_devices/mig_device")
    numbers = [count(said(one, "index")) for one in devices]
    own = {number: names[number] for number in names if numbers.count(number) == 1}
    return Partitioning(
        enabled=flag(said(gpu, "mig_mode/current_mig")),
        pending=flag(said(gpu, "mig_mode/pending_mig")),
        partitions=tuple(_partition(one, own) for one in devices),
    )


def _partition(device: Element, names: Mapping[int, PartitionName]) -> Partition:
    number = count(said(device, "index"))
    name = None if number is None else names.get(number)
    instances = (said(device, "gpu_instance_id"), said(device, "compute_instance_id"))
    return Partition(
        id="/".join(one or "?" for one in instances),
        uuid=None if name is None else name.uuid,
        profile=None if name is None else name.profile,
        memory_bytes=mebibytes_at(device, "fb_memory_usage/total"),
        memory_used_bytes=mebibytes_at(device, "fb_memory_usage/used"),
    )
