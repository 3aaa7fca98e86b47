"""NVIDIA accelerators: what `nvidia-smi` says in each of its forms, put together, and the software around them."""

from l0_infra.facts.nvidia.fabric_log import parse_fabric_manager
from l0_infra.facts.nvidia.gather import parse_nvidia
from l0_infra.facts.nvidia.software import parse_software
from l0_infra.facts.nvidia.sources import LISTING, QUICK, SOURCES

__all__ = ["LISTING", "QUICK", "SOURCES", "parse_fabric_manager", "parse_nvidia", "parse_software"]
