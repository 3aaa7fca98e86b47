"""A whole node in one round trip: its facts, and what of them could not be read."""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from l0_infra.core.exec import Runner
from l0_infra.facts import (
    accelerators,
    board,
    cpu,
    disks,
    interconnect,
    interfaces,
    kernel_log,
    limits,
    memory,
    nvidia,
    operating,
    system,
)
from l0_infra.facts.ask import ask
from l0_infra.facts.bundle import HUNG, NOT_ASKED, Answer, Answers
from l0_infra.facts.fabric import with_flaps
from l0_infra.facts.kernel_log import Flaps
from l0_infra.facts.told_once import told_once
from l0_infra.facts.tree import parse_tree, text_at
from l0_infra.facts.vendor import Found
from l0_infra.schemas import Disk, FabricPort, NetworkInterface, NodeFacts, Unread

__all__ = ["SOURCES", "parse_node", "probe_node", "probe_size"]

SIZE = (system.UNAME, system.SYSTEM, cpu.CPU, cpu.LSCPU, memory.MEMORY, limits.LIMITS)
"""Sources that say how large a node is; none of them asks a device."""

SOURCES = (
    *SIZE,
    *(disks.LSBLK, disks.BLOCK, disks.MOUNTS, interfaces.NET, interfaces.ADDRESSES),
    *accelerators.SOURCES,
    *operating.SOURCES,
    *board.SOURCES,
    *kernel_log.SOURCES,
    *interconnect.SOURCES,
)

TREES = (
    *("system.txt", "cpu.txt", "memory.txt", "cgroup-limits.txt", "sys-block.txt", "sys-class-net.txt"),
    *("kernel.txt", "security.txt", "package-locks.txt", "edac.txt"),
)
"""Sources that are many files of the kernel's, any of which may be missing."""


def probe_node(runner: Runner, now: float, *, limit_s: int = 15, sudo: bool = False) -> NodeFacts:
    """Look at a node; `now` is the time in seconds since the epoch, `limit_s` what each fact may take.

    What cannot be read is None and listed in `unread`. Raises RemoteError when the node cannot be reached.
    """
    return parse_node(ask(runner, SOURCES, limit_s, sudo=sudo), now)


def probe_size(runner: Runner, now: float, *, limit_s: int = 15) -> NodeFacts:
    """Look only at what does not change while a node is up: its name, system, processors, memory and their limits.

    Raises RemoteError when the node cannot be reached.
    """
    unasked = {source.name: NOT_ASKED for source in SOURCES}
    return parse_node(unasked | dict(ask(runner, SIZE, limit_s)), now)


def parse_node(answers: Answers, now: float) -> NodeFacts:
    """Make facts of what the sources said; of a node where none answered they say no more than that it hangs."""
    if all(answer.end == "hung" for answer in answers.values()):
        return NodeFacts(probed_at=now, unread=tuple(HUNG.unread("node")))
    found = accelerators.parse_accelerators(answers)
    facts = _with_accelerators(_machine(answers, now), answers, found)
    facts = _with_board(_with_operating(facts, answers, found), answers)
    return _with_interconnect(facts, answers, found, kernel_log.parse_log(answers, now))


def _machine(answers: Answers, now: float) -> NodeFacts:
    """Read what the kernel tells of the machine itself, and what of any source could be read."""
    files = parse_tree(answers["system.txt"].out)
    uname, lscpu = answers["uname.txt"].out, answers["lscpu.txt"].out
    processors = parse_tree(answers["cpu.txt"].out)
    main = memory.parse_memory(parse_tree(answers["memory.txt"].out))
    left = limits.parse_limits(parse_tree(answers["cgroup-limits.txt"].out))
    disk_list, disk_faults = _disks(answers)
    return NodeFacts(
        hostname=system.parse_hostname(uname),
        boot_id=system.parse_boot_id(files),
        member_of=system.parse_membership(files),
        probed_at=now,
        os=system.parse_os(uname, files),
        chassis=system.parse_chassis(files),
        cpu=cpu.parse_cpu(processors, lscpu),
        numa=cpu.parse_numa(processors),
        memory=main,
        limits=left,
        cpus_usable=limits.cpus_usable(left, text_at(processors, cpu.ONLINE)),
        memory_usable_bytes=limits.memory_usable_bytes(left, main.total_bytes),
        disks=disk_list,
        interfaces=_interfaces(answers),
        evidence=tuple(name for name, answer in answers.items() if _is_told(name, answer)),
        unread=(*_unread(answers), *disk_faults),
    )


def _with_accelerators(facts: NodeFacts, answers: Answers, found: Found) -> NodeFacts:
    return replace(
        facts,
        accelerators=found.accelerators,
        counted=accelerators.find_counted(answers, found),
        fabric_manager=nvidia.parse_fabric_manager(answers),
        unread=(*facts.unread, *found.unread),
    )


def _with_operating(facts: NodeFacts, answers: Answers, found: Found) -> NodeFacts:
    around = operating.parse_operating(answers)
    return replace(
        facts,
        software=(*around.software, *nvidia.parse_software(answers), *found.software),
        services=around.services,
        security=around.security,
        kernel=around.kernel,
        resource_limits=around.resource_limits,
        clock=around.clock,
        package_locks=around.package_locks,
        unread=(*facts.unread, *around.unread),
    )


def _with_board(facts: NodeFacts, answers: Answers) -> NodeFacts:
    fixed = board.parse_board(answers, facts.chassis, facts.disks)
    return replace(
        facts,
        chassis=fixed.chassis,
        disks=fixed.disks,
        memory_modules=fixed.memory_modules,
        memory_errors=fixed.memory_errors,
        management=fixed.management,
        unread=(*facts.unread, *fixed.unread),
    )


def _with_interconnect(
    facts: NodeFacts, answers: Answers, found: Found, log: kernel_log.KernelLog
) -> NodeFacts:
    """Add PCI, fabric, neighbors and topology, and what the kernel's log tells of these and of all else."""
    joined = interconnect.parse_interconnect(answers, found, facts.interfaces, facts.numa)
    return replace(
        facts,
        kernel_events=kernel_log.find_events(log),
        pci=joined.pci,
        fabric=_fabric(joined.fabric, found.fabric, kernel_log.count_flaps(log)),
        neighbors=joined.neighbors,
        topology=joined.topology,
        unread=told_once((*facts.unread, *log.unread, *joined.unread)),
    )


def _is_told(name: str, answer: Answer) -> bool:
    return bool(answer.out) if name in TREES else answer.ok


def _disks(answers: Answers) -> tuple[tuple[Disk, ...], tuple[Unread, ...]]:
    """Prefer `lsblk`; when it hangs, fails or prints nonsense, the kernel's files still name the disks."""
    mounts = disks.parse_mounts(answers["proc-mounts.txt"].out)
    listing = answers["lsblk.json"]
    try:
        if listing.ok:
            return disks.parse_lsblk(listing.out, mounts), ()
        faults = tuple(listing.unread("lsblk"))
    except (msgspec.DecodeError, RecursionError) as error:
        faults = (Unread(what="lsblk", reason="garbled", detail=str(error)),)
    return disks.parse_block(parse_tree(answers["sys-block.txt"].out), mounts), faults


def _fabric(
    ports: tuple[FabricPort, ...] | None, own: tuple[FabricPort, ...], flaps: Mapping[str, Flaps] | None
) -> tuple[FabricPort, ...] | None:
    """Put the node's ports, with what the log tells of their links, beside those that accelerators have themselves."""
    if ports is None and not own:
        return None
    return (*with_flaps(ports or (), flaps), *own)


def _interfaces(answers: Answers) -> tuple[NetworkInterface, ...]:
    told = answers["ip-address.txt"]
    addresses = interfaces.parse_addresses(told.out) if told.ok else None
    return interfaces.parse_interfaces(parse_tree(answers["sys-class-net.txt"].out), addresses)


def _unread(answers: Answers) -> Iterator[Unread]:
    """Yield faults of the sources that belong to no vendor; files that may be missing are not missed."""
    for name in TREES:
        yield from answers[name].denied()
        if answers[name].end == "hung":
            yield from answers[name].unread(name)
    for name, what in (
        ("uname.txt", "uname"),
        ("lscpu.txt", "lscpu"),
        ("proc-mounts.txt", "/proc/mounts"),
        ("ip-address.txt", "ip address"),
    ):
        yield from answers[name].unread(what)
