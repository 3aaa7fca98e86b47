"""Services that matter here, and the limits that a service gets: one question to systemd."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.tree import settings
from l0_infra.schemas import Service, Unread

__all__ = [
    "LIMITED",
    "LIMITS",
    "SYSTEMCTL",
    "LimitName",
    "parse_services",
    "service_limits",
    "services_unread",
]

WATCHED = (
    *("nvidia-fabricmanager", "nvidia-persistenced", "nvidia-dcgm", "nvidia-imex", "nvidia-powerd"),
    *("chronyd", "chrony", "systemd-timesyncd", "ntpd", "ntp", "ntpsec", "ptp4l", "phc2sys"),
    *("firewalld", "ufw", "nftables", "iptables", "apparmor", "irqbalance", "tuned", "cpupower"),
    *("slurmd", "slurmctld", "slurmdbd", "munge", "sshd", "ssh", "docker", "containerd", "kubelet"),
    *("openibd", "opensmd", "opensm", "rdma", "rasdaemon", "mcelog", "ipmievd", "kdump"),
    *("nfs-server", "autofs", "rpcbind", "lustre", "lnet", "beegfs-client", "gpfs", "mmautoload"),
    *("unattended-upgrades", "packagekit", "apt-daily-upgrade.timer", "dnf-automatic.timer"),
)
"""Of accelerators, clocks, security, power, work, fabrics, errors, file systems, and updates nobody ordered."""

LIMITED = ("slurmd", "docker", "containerd", "kubelet")
"""Services that start work, which then has their limits."""

LimitName = Literal["memlock", "nofile", "nproc", "stack", "core"]
LIMITS: Mapping[LimitName, str] = {
    "memlock": "MEMLOCK",
    "nofile": "NOFILE",
    "nproc": "NPROC",
    "stack": "STACK",
    "core": "CORE",
}
"""systemd's names of the limits of processes."""

TOLD = (
    *("Id", "LoadState", "ActiveState", "UnitFileState"),
    *(f"Limit{name}{soft}" for name in ("MEMLOCK", "NOFILE") for soft in ("", "Soft")),
)
DEFAULTS = tuple(f"DefaultLimit{name}{soft}" for name in LIMITS.values() for soft in ("", "Soft"))
STATES = frozenset(
    (
        *("active", "reloading", "inactive", "failed", "activating", "deactivating"),
        *("maintenance", "refreshing"),
    )
)
ENABLED = frozenset(
    (
        *("enabled", "enabled-runtime", "linked", "linked-runtime", "alias", "masked", "masked-runtime"),
        *("static", "disabled", "indirect", "generated", "transient", "bad"),
    )
)
"""Words of systemd's; another one was cut off, or is not systemd's."""

NO_SYSTEMD = "has not been booted with systemd"

Unit = Mapping[str, str]
"""Properties of a unit, or of the manager, by name."""

SYSTEMCTL = Source(
    name="systemctl-show.txt",
    also=("systemctl_show*", "systemctl-show*"),
    marks=("DefaultLimitMEMLOCK=",),
    program="systemctl",
    when="[ -d /run/systemd/system ]",
    command=f"systemctl show {' '.join(f'-p {name}' for name in DEFAULTS)} && echo &&"
    f" systemctl show {' '.join(f'-p {name}' for name in TOLD)} {' '.join(WATCHED)}",
)


def parse_services(answer: Answer) -> tuple[Service, ...] | None:
    """List the services that are installed; None where systemd does not run or did not answer."""
    units = {unit["Id"]: unit for unit in _units(answer) if unit.get("Id")}
    if not units:
        return None
    return tuple(
        Service(
            name=name.removesuffix(".service"),
            state=_one_of(STATES, unit.get("ActiveState")),
            enabled=_one_of(ENABLED, unit.get("UnitFileState")),
        )
        for name, unit in sorted(units.items())
        if unit.get("LoadState", "not-found") != "not-found"
    )


def services_unread(answer: Answer) -> Iterator[Unread]:
    """Yield why systemd could not be asked; a machine that does not run it lacks nothing."""
    if NO_SYSTEMD not in answer.out + answer.err:
        yield from answer.unread("systemctl show")


def service_limits(answer: Answer) -> Mapping[str | None, Unit]:
    """Return the limits of services by name, and under None those of a service that sets none of its own."""
    found: dict[str | None, Unit] = {}
    for unit in _units(answer):
        name = unit.get("Id", "").removesuffix(".service")
        if "Id" not in unit and "DefaultLimitMEMLOCK" in unit:
            found[None] = {key.removeprefix("Default"): value for key, value in unit.items()}
        elif name in LIMITED and unit.get("LoadState") == "loaded":
            found[name] = unit
    return found


def _one_of(words: frozenset[str], told: str | None) -> str | None:
    return told if told in words else None


def _units(answer: Answer) -> Iterator[Unit]:
    for block in re.split(r"\n[ \t\r]*\n", answer.out):
        yield settings(tuple(block.split("\n")), "=")
