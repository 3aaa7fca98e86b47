"""The operating system around the work: kernel, security, services, limits, clock, locks, software."""

from dataclasses import dataclass

from l0_infra.facts.bundle import Answers
from l0_infra.facts.operating import clock, firewall, kernel, locks, security, services, software, ulimits
from l0_infra.facts.tree import parse_tree
from l0_infra.schemas import (
    ClockState,
    KernelSettings,
    PackageLock,
    ResourceLimit,
    Security,
    Service,
    Software,
    Unread,
)

__all__ = ["SOURCES", "Operating", "parse_operating"]

SOURCES = (
    *(kernel.CMDLINE, kernel.MODULES, kernel.KERNEL, ulimits.ULIMITS),
    *(ulimits.BOUNDS, services.SYSTEMCTL),
    *(security.SECURITY, security.MOKUTIL, firewall.NFT, firewall.IPTABLES),
    *(clock.CHRONYC, clock.NTPQ, clock.PMC, clock.TIMEDATECTL, clock.ZONE),
    *(locks.LOCKS, software.VERSIONS, software.DPKG, software.RPM, software.LDCONFIG),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Operating:
    """All of it, and what of it could not be read."""

    kernel: KernelSettings
    security: Security
    services: tuple[Service, ...] | None
    resource_limits: tuple[ResourceLimit, ...]
    clock: ClockState
    package_locks: tuple[PackageLock, ...] | None
    software: tuple[Software, ...]
    unread: tuple[Unread, ...]


def parse_operating(answers: Answers) -> Operating:
    """Make facts of what the sources said."""
    told = services.parse_services(answers[services.SYSTEMCTL.name])
    tree = parse_tree(answers[security.SECURITY.name].out)
    filtered = firewall.parse_firewall(answers, tree, told or ())
    return Operating(
        kernel=kernel.parse_kernel(answers, answers["proc-mounts.txt"].out),
        security=security.parse_security(answers, tree, filtered),
        services=told,
        resource_limits=ulimits.parse_ulimits(answers),
        clock=clock.parse_clock(answers, told),
        package_locks=locks.parse_locks(answers[locks.LOCKS.name]),
        software=software.parse_software(answers),
        unread=(
            *services.services_unread(answers[services.SYSTEMCTL.name]),
            *firewall.firewall_unread(answers),
            *clock.clock_unread(answers, told),
            *software.software_unread(answers),
        ),
    )
