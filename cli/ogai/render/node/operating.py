"""How the system of a node is set, and what its kernel told, as a person sees it."""

from collections.abc import Iterator, Sequence

from l0_infra.schemas import (
    SEVERITIES,
    ClockState,
    KernelEvent,
    KernelSettings,
    NodeFacts,
    ResourceLimit,
    Security,
)
from ogai.render.node.words import Field, counted, joined, named, optional_section, size

__all__ = ["describe_kernel_log", "describe_operating"]

MOST_EVENTS = 12
SIZES = ("memlock", "stack", "core")
"""Limits that are sizes; the others are counts."""
WHOSE = {"login": "for a login", "service": "for a service", "node": "for all of this container"}


def describe_operating(facts: NodeFacts) -> Iterator[Field]:
    """Yield how kernel, services, clock and limits are set; nothing of what was not read."""
    yield from optional_section("System", _system(facts))


def describe_kernel_log(facts: NodeFacts) -> Iterator[Field]:
    """Yield what the kernel's log tells, worst first and like things once, and what should be done."""
    events = sorted(facts.kernel_events or (), key=lambda event: SEVERITIES.index(event.severity))
    yield from optional_section("Kernel log", _events(events))


def _system(facts: NodeFacts) -> Iterator[Field]:
    yield "  software", joined(*(f"{one.name} {one.software_version}" for one in facts.software))
    yield "  services", joined(*(f"{one.name} {one.state}" for one in facts.services or () if one.state))
    yield "  modules", joined(*(one.name for one in facts.kernel.modules or ()))
    yield "  kernel", joined(*_kernel(facts.kernel))
    yield "  security", joined(*_security(facts.security))
    yield "  clock", joined(*_clock(facts.clock))
    for limit in facts.resource_limits:
        yield f"  {limit.name}", joined(_limit(limit), limit.service or WHOSE[limit.scope])
    for lock in facts.package_locks or ():
        yield "  locked", joined(lock.file, named("by process", lock.pid), lock.program)
    if facts.management is not None:
        management = facts.management
        yield (
            "  BMC",
            joined(management.address, management.mac, named("firmware", management.firmware_version)),
        )


def _kernel(kernel: KernelSettings) -> Iterator[str | None]:
    yield named("cgroup", kernel.cgroup_version)
    yield named("IOMMU", kernel.iommu)
    yield named("governor", kernel.governor)
    yield named("transparent huge pages", kernel.transparent_hugepages)
    if kernel.numa_balancing is not None:
        yield f"NUMA balancing {_on(kernel.numa_balancing)}"
    yield named("swappiness", kernel.swappiness)
    if kernel.headers is not None:
        yield "headers installed" if kernel.headers else "no headers"
    if kernel.tainted:
        yield f"tainted {kernel.tainted}"


def _security(security: Security) -> Iterator[str | None]:
    if security.secure_boot is not None:
        yield f"Secure Boot {_on(security.secure_boot)}"
    yield named("lockdown", security.lockdown)
    yield named("SELinux", security.selinux)
    if security.apparmor is not None:
        yield f"AppArmor {_on(security.apparmor)}"
    rules = counted(security.firewall_rules, "rule")
    yield named("firewall", security.firewall and f"{security.firewall}{f' ({rules})' if rules else ''}")


def _clock(clock: ClockState) -> Iterator[str | None]:
    yield clock.service
    if clock.synchronised is not None:
        yield "synchronised" if clock.synchronised else "not synchronised"
    yield named("to", clock.source)
    if clock.offset_s is not None:
        yield f"off by {clock.offset_s * 1e3:+.3g} ms"
    yield named("zone", clock.zone)


def _limit(limit: ResourceLimit) -> str | None:
    soft, hard = (
        _amount(limit.name, limit.soft, unlimited=limit.soft_unlimited),
        _amount(limit.name, limit.hard, unlimited=limit.hard_unlimited),
    )
    return soft if soft == hard or hard is None else f"{soft or 'unknown'} (at most {hard})"


def _amount(name: str, number: int | None, *, unlimited: bool | None) -> str | None:
    if unlimited:
        return "unlimited"
    if number is None:
        return None
    return size(number) if name in SIZES else str(number)


def _events(events: Sequence[KernelEvent]) -> Iterator[Field]:
    alike: dict[str, list[KernelEvent]] = {}
    for event in events:
        alike.setdefault(event.name, []).append(event)
    for first, *others in list(alike.values())[:MOST_EVENTS]:
        where = joined(*map(_where, (first, *others)))
        yield f"  {first.severity}", f"{first.name} ({where}): {first.meaning}"
        if first.action != "none":
            yield "", f"mend: {first.action}"
    if len(alike) > MOST_EVENTS:
        yield "", f"and {len(alike) - MOST_EVENTS} more, no worse; `-o json` lists all"


def _where(event: KernelEvent) -> str:
    times = "once" if event.count == 1 else f"{event.count} times"
    return f"{event.device} {times}" if event.device else times


def _on(value: bool) -> str:
    return "on" if value else "off"
