"""Labs as they are now."""

from typing import Literal

import msgspec

from l1_podsys import HostHandle, Lab, LabPlace, breaks_of, load_labs
from ogai.flows.lab.hosts import hosts_of
from ogai.flows.lab.labs import here

__all__ = ["HostReport", "LabReport", "probe"]

State = Literal["on", "off", "frozen"]


class HostReport(msgspec.Struct, frozen=True, kw_only=True):
    """A host: whether it is on, and what it is broken by."""

    name: str
    address: str
    state: State
    broken: tuple[str, ...]
    memory_bytes: int | None
    accelerators: int


class LabReport(msgspec.Struct, frozen=True, kw_only=True):
    """A lab and its hosts; `folder` holds its keys and an `ssh_config`."""

    name: str
    os: str
    network: str
    folder: str
    hosts: tuple[HostReport, ...]


def probe() -> tuple[LabReport, ...]:
    """Look at every lab; what hosts are broken by is read from the hosts themselves."""
    place = here()
    return tuple(_report(place, lab) for lab in load_labs(place.home))


def _report(place: LabPlace, lab: Lab) -> LabReport:
    return LabReport(
        name=lab.name,
        os=lab.os,
        network=lab.network,
        folder=str(place.layout(lab.name).folder),
        hosts=tuple(_host(at) for at in hosts_of(place, lab)),
    )


def _host(at: HostHandle) -> HostReport:
    broken = breaks_of(at)
    return HostReport(
        name=at.host.name,
        address=at.host.address,
        state="off" if "power-off" in broken else "frozen" if "freeze" in broken else "on",
        broken=broken,
        memory_bytes=at.host.memory_bytes,
        accelerators=at.host.accelerators,
    )
