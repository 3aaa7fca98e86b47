"""How the facts of a node look to a person."""

from collections import Counter
from collections.abc import Iterator

from l0_infra.schemas import (
    CgroupLimits,
    Disk,
    DiskHealth,
    Memory,
    MemoryModule,
    NetworkInterface,
    NodeFacts,
    Unread,
)
from ogai.render.node.accelerator import describe_accelerator
from ogai.render.node.fabric import describe_fabric
from ogai.render.node.operating import describe_kernel_log, describe_operating
from ogai.render.node.words import UNKNOWN, Field, counted, joined, named, rate, section, size
from ogai.render.table import print_fields

__all__ = ["describe_facts", "print_facts"]


def print_facts(facts: NodeFacts) -> None:
    """Print them on stdout."""
    print_fields(list(describe_facts(facts)))


def describe_facts(facts: NodeFacts) -> Iterator[Field]:
    """Yield names and values; a name without a value heads what follows. What was not read is left out or said."""
    yield facts.node or facts.hostname or "Node", ""
    system = joined(facts.os.name, named("Linux", facts.os.kernel), facts.os.architecture)
    yield "  system", system or UNKNOWN
    yield "  machine", _machine(facts) or UNKNOWN
    yield "CPU", ""
    yield from _cpu(facts)
    yield "Memory", ""
    yield from _memory(facts.memory, facts)
    none = "none found; see below what was not read" if facts.unread else "none found"
    yield from section("Disks", map(_disk, facts.disks), none)
    yield from section("Network", map(_interface, facts.interfaces), none)
    yield from section("Accelerators", map(describe_accelerator, facts.accelerators), none)
    yield from describe_fabric(facts)
    yield from describe_operating(facts)
    yield from describe_kernel_log(facts)
    if facts.unread:
        yield from section("Not read", map(_unread, facts.unread), none)


def _machine(facts: NodeFacts) -> str:
    return joined(facts.chassis.vendor, facts.chassis.product, named("serial", facts.chassis.serial))


def _cpu(facts: NodeFacts) -> Iterator[Field]:
    cpu = facts.cpu
    counts = ((cpu.sockets, "socket"), (cpu.cores, "core"), (cpu.threads, "thread"))
    yield "  model", cpu.model or UNKNOWN
    yield "  count", joined(*(counted(number, noun) for number, noun in counts)) or UNKNOWN
    yield "  usable here", joined(str(facts.cpus_usable or UNKNOWN), *_cpu_limits(facts.limits))
    for node in facts.numa:
        memory = None if node.memory_bytes is None else size(node.memory_bytes)
        yield f"  NUMA {node.id}", joined(memory, f"CPUs {node.cpus}" if node.cpus else "no CPUs")


def _cpu_limits(limits: CgroupLimits) -> Iterator[str]:
    if limits.cpus is not None:
        yield f"time limited to {limits.cpus:g} CPUs"
    if limits.cpu_list is not None:
        yield f"allowed on {limits.cpu_list}"


def _memory(memory: Memory, facts: NodeFacts) -> Iterator[Field]:
    yield "  total", joined(size(memory.total_bytes), _left(memory.available_bytes, "available"))
    limit = facts.limits.memory_bytes
    yield "  usable here", f"{size(facts.memory_usable_bytes)}{'' if limit is None else ', limited'}"
    swap = joined(size(memory.swap_total_bytes), _left(memory.swap_free_bytes, "free"))
    yield "  swap", "none" if memory.swap_total_bytes == 0 else swap
    for pool in memory.hugepages:
        if pool.total:
            yield "  huge pages", f"{pool.total} of {size(pool.size_bytes)}, {pool.free} free"
    yield from (
        ("  modules", f"{number} × {what}")
        for what, number in Counter(map(_module, facts.memory_modules or ())).items()
    )
    if facts.memory_errors.corrected or facts.memory_errors.uncorrected:
        yield "  errors", _memory_errors(facts)


def _left(size_bytes: int | None, what: str) -> str | None:
    return None if size_bytes is None else f"{size(size_bytes)} {what}"


def _module(module: MemoryModule) -> str:
    speed = None if module.transfers_per_s is None else f"{module.transfers_per_s / 1e6:g} MT/s"
    return joined(size(module.size_bytes), module.kind, speed, module.maker, module.part_number)


def _memory_errors(facts: NodeFacts) -> str:
    errors = facts.memory_errors
    where = f"in {', '.join(errors.modules)}" if errors.modules else None
    return joined(named("uncorrected", errors.uncorrected), named("corrected", errors.corrected), where)


def _disk(disk: Disk) -> Iterator[Field]:
    kind = {True: "rotational", False: "solid state", None: None}[disk.rotational]
    yield f"  {disk.name}", joined(size(disk.size_bytes), disk.transport, kind, disk.model)
    if disk.health is not None and (health := joined(*_health(disk.health))):
        yield "", health
    yield from (("", f"{mount.mountpoint} ({mount.filesystem})") for mount in disk.mounts)


def _health(health: DiskHealth) -> Iterator[str | None]:
    if health.passed is not None:
        yield "healthy by its own verdict" if health.passed else "failing by its own verdict"
    yield None if health.wear_percent is None else f"{health.wear_percent:g} % worn"
    yield None if health.spare_percent is None else f"{health.spare_percent:g} % spare"
    counts = (
        (health.media_errors, "media error"),
        (health.reallocated_sectors, "moved sector"),
        (health.pending_sectors, "unreadable sector"),
    )
    yield from (counted(number, what) for number, what in counts if number)
    yield None if health.temperature_c is None else f"{health.temperature_c:g} °C"


def _interface(port: NetworkInterface) -> Iterator[Field]:
    mtu = named("MTU", port.mtu)
    yield (
        f"  {port.name}",
        joined(port.state, rate(port.speed_bits_per_s), mtu, port.driver, port.pci) or UNKNOWN,
    )
    yield from (("", address) for address in port.addresses or ())


def _unread(one: Unread) -> Iterator[Field]:
    yield f"  {one.reason}", f"{one.what}: {one.detail}" if one.detail else one.what
    if one.hint:
        yield "", f"mend: {one.hint}"
