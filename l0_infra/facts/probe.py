"""A whole node in one round trip: its facts, and what of them could not be read."""

from collections.abc import Iterator, Mapping

import msgspec

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
from l0_infra.facts.bundle import HUNG, NOT_ASKED, Answers
from l0_infra.facts.fabric import with_flaps
from l0_infra.facts.kernel_log import Flaps
from l0_infra.facts.tree import parse_tree, text_at
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
    trees = {
        name: parse_tree(answers[file].out)
        for name, file in (
            ("system", "system.txt"),
            ("cpu", "cpu.txt"),
            ("memory", "memory.txt"),
            ("limits", "cgroup-limits.txt"),
        )
    }
    uname = answers["uname.txt"].out
    main = memory.parse_memory(trees["memory"])
    left = limits.parse_limits(trees["limits"])
    found = accelerators.parse_accelerators(answers)
    disk_list, disk_faults = _disks(answers)
    around = operating.parse_operating(answers)
    fixed = board.parse_board(answers, system.parse_chassis(trees["system"]), disk_list)
    log = kernel_log.parse_log(answers, now)
    ports, numa = _interfaces(answers), cpu.parse_numa(trees["cpu"])
    joined = interconnect.parse_interconnect(answers, found, ports, numa)
    return NodeFacts(
        hostname=system.parse_hostname(uname),
        boot_id=system.parse_boot_id(trees["system"]),
        probed_at=now,
        os=system.parse_os(uname, trees["system"]),
        chassis=fixed.chassis,
        cpu=cpu.parse_cpu(trees["cpu"], answers["lscpu.txt"].out),
        numa=numa,
        memory=main,
        limits=left,
        cpus_usable=limits.cpus_usable(left, text_at(trees["cpu"], cpu.ONLINE)),
        memory_usable_bytes=limits.memory_usable_bytes(left, main.total_bytes),
        disks=fixed.disks,
        interfaces=ports,
        accelerators=found.accelerators,
        counted=accelerators.find_counted(answers, found),
        fabric_manager=nvidia.parse_fabric_manager(answers),
        software=(*around.software, *nvidia.parse_software(answers), *found.software),
        services=around.services,
        security=around.security,
        kernel=around.kernel,
        resource_limits=around.resource_limits,
        clock=around.clock,
        package_locks=around.package_locks,
        memory_modules=fixed.memory_modules,
        memory_errors=fixed.memory_errors,
        management=fixed.management,
        kernel_events=kernel_log.find_events(log),
        pci=joined.pci,
        fabric=_fabric(joined.fabric, found.fabric, kernel_log.count_flaps(log)),
        topology=joined.topology,
        evidence=tuple(
            name for name, answer in answers.items() if answer.ok or (answer.out and name in TREES)
        ),
        unread=(
            *_unread(answers),
            *disk_faults,
            *found.unread,
            *around.unread,
            *fixed.unread,
            *log.unread,
            *joined.unread,
        ),
    )


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
