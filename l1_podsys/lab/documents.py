"""A lab as asked for, and as kept on disk: written before any of it is made, so that all of it can be found."""

from ipaddress import IPv4Network
from pathlib import Path
from typing import Literal

import msgspec

__all__ = ["SHARED", "Lab", "LabHost", "LabOs", "LabWish"]

LabOs = Literal["debian12", "debian13"]

GIB = 2**30

SHARED = "/shared"
"""Where every host sees the lab's shared directory."""


class LabWish(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks for; `directory` is where the hosts' disks lie, None beside the lab's own files."""

    name: str = "lab"
    nodes: int = 4
    os: LabOs = "debian12"
    directory: Path | None = None
    memory_bytes: int | None = None
    vary: bool = False
    mirror: str | None = None


class LabHost(msgspec.Struct, frozen=True, kw_only=True):
    """One host; `number` counts from 1 and is also the last part of its address less one."""

    name: str
    number: int
    address: str
    memory_bytes: int | None = None
    accelerators: int = 0


class Lab(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a lab consists of follows from this: names in the kernel, paths, addresses."""

    name: str
    lab_id: str
    os: LabOs
    image: str
    directory: str
    network: str
    disk_bytes: int
    hosts: tuple[LabHost, ...]

    @property
    def subnet(self) -> IPv4Network:
        """The lab's own network."""
        return IPv4Network(self.network)

    @property
    def gateway(self) -> str:
        """This machine's address in it."""
        return str(self.subnet[1])

    @property
    def bridge(self) -> str:
        """The bridge on this machine."""
        return f"ogl{self.lab_id}"

    @property
    def table(self) -> str:
        """The nftables table with its address translation."""
        return f"ogai_lab_{self.lab_id}"

    @property
    def group(self) -> str:
        """The control group that holds every process of the lab."""
        return f"ogai-lab-{self.lab_id}"

    def cable(self, host: LabHost) -> str:
        """The end of a host's cable that is on this machine."""
        return f"{self.bridge}-{host.number}"

    def machine(self, host: LabHost) -> str:
        """The name systemd-nspawn knows a host by."""
        return f"{self.group}-{host.number}"
