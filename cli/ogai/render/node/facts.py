"""How the facts of a node look to a person."""

from collections.abc import Iterable, Iterator

from l0_infra.core.units import format_bytes, format_count
from l0_infra.schemas import Accelerator, CgroupLimits, Disk, Memory, NetworkInterface, NodeFacts, Unread
from ogai.render.table import print_fields

__all__ = ["describe_facts", "print_facts"]

UNKNOWN = "unknown"

Field = tuple[str, str]


def print_facts(facts: NodeFacts) -> None:
    """Print them on stdout."""
    print_fields(list(describe_facts(facts)))


def describe_facts(facts: NodeFacts) -> Iterator[Field]:
    """Yield names and values; a name without a value heads what follows."""
    yield facts.hostname or "Node", ""
    yield (
        "  system",
        _joined(facts.os.name, facts.os.kernel and f"Linux {facts.os.kernel}", facts.os.architecture),
    )
    yield "  machine", _machine(facts)
    yield "CPU", ""
    yield from _cpu(facts)
    yield "Memory", ""
    yield from _memory(facts.memory, facts)
    none = "none found; see below what was not read" if facts.unread else "none found"
    yield from _section("Disks", map(_disk, facts.disks), none)
    yield from _section("Network", map(_interface, facts.interfaces), none)
    yield from _section("Accelerators", map(_accelerator, facts.accelerators), none)
    if facts.unread:
        yield from _section("Not read", map(_unread, facts.unread), none)


def _section(title: str, entries: Iterable[Iterator[Field]], none: str) -> Iterator[Field]:
    yield title, ""
    yield from [line for entry in entries for line in entry] or [("", none)]


def _machine(facts: NodeFacts) -> str:
    serial = facts.chassis.serial and f"serial {facts.chassis.serial}"
    return _joined(facts.chassis.vendor, facts.chassis.product, serial)


def _cpu(facts: NodeFacts) -> Iterator[Field]:
    cpu = facts.cpu
    counts = ((cpu.sockets, "socket"), (cpu.cores, "core"), (cpu.threads, "thread"))
    yield "  model", cpu.model or UNKNOWN
    yield "  count", _joined(*(_counted(number, noun) for number, noun in counts))
    yield "  usable here", _joined(str(facts.cpus_usable or UNKNOWN), *_cpu_limits(facts.limits))
    for node in facts.numa:
        memory = None if node.memory_bytes is None else format_bytes(node.memory_bytes)
        yield f"  NUMA {node.id}", _joined(memory, f"CPUs {node.cpus}" if node.cpus else "no CPUs")


def _cpu_limits(limits: CgroupLimits) -> Iterator[str]:
    if limits.cpus is not None:
        yield f"time limited to {limits.cpus:g} CPUs"
    if limits.cpu_list is not None:
        yield f"allowed on {limits.cpu_list}"


def _memory(memory: Memory, facts: NodeFacts) -> Iterator[Field]:
    yield "  total", f"{_size(memory.total_bytes)}, {_size(memory.available_bytes)} available"
    limit = facts.limits.memory_bytes
    yield "  usable here", f"{_size(facts.memory_usable_bytes)}{'' if limit is None else ', limited'}"
    yield (
        "  swap",
        "none"
        if memory.swap_total_bytes == 0
        else (f"{_size(memory.swap_total_bytes)}, {_size(memory.swap_free_bytes)} free"),
    )
    for pool in memory.hugepages:
        if pool.total:
            yield "  huge pages", f"{pool.total} of {_size(pool.size_bytes)}, {pool.free} free"


def _disk(disk: Disk) -> Iterator[Field]:
    kind = {True: "rotational", False: "solid state", None: None}[disk.rotational]
    yield f"  {disk.name}", _joined(_size(disk.size_bytes), disk.transport, kind, disk.model)
    yield from (("", f"{mount.mountpoint} ({mount.filesystem})") for mount in disk.mounts)


def _interface(port: NetworkInterface) -> Iterator[Field]:
    speed = None if port.speed_bits_per_s is None else f"{port.speed_bits_per_s / 1e9:g} Gbit/s"
    mtu = None if port.mtu is None else f"MTU {port.mtu}"
    yield f"  {port.name}", _joined(port.state, speed, mtu, port.driver, port.pci)
    yield from (("", address) for address in port.addresses or ())


def _accelerator(one: Accelerator) -> Iterator[Field]:
    busy = None if one.utilization_percent is None else f"{one.utilization_percent:g} % busy"
    yield f"  {one.id}", _joined(one.model, _memory_use(one), busy)
    driver = one.driver_version and f"driver {one.driver_version}"
    yield "", _joined(one.pci, driver, _holders(one))


def _memory_use(one: Accelerator) -> str:
    if one.memory_used_bytes is None:
        return "memory unknown" if one.memory_bytes is None else format_bytes(one.memory_bytes)
    return f"{format_bytes(one.memory_used_bytes)} of {_size(one.memory_bytes)} used"


def _holders(one: Accelerator) -> str:
    if one.processes is None:
        return "processes unknown"
    pids = ", ".join(str(process.pid) for process in one.processes)
    return f"held by process {pids}" if pids else "free"


def _unread(one: Unread) -> Iterator[Field]:
    yield f"  {one.reason}", f"{one.what}: {one.detail}" if one.detail else one.what
    if one.hint:
        yield "", f"mend: {one.hint}"


def _joined(*words: str | None) -> str:
    return ", ".join(word for word in words if word) or UNKNOWN


def _counted(number: int | None, noun: str) -> str | None:
    return None if number is None else format_count(number, noun)


def _size(size_bytes: int | None) -> str:
    return UNKNOWN if size_bytes is None else format_bytes(size_bytes)
