"""From a wish to a lab: names, addresses, what differs between hosts. Pure."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from pathlib import Path

import msgspec

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l0_infra.core.nodeset import fold
from l0_infra.core.units import format_bytes
from l1_podsys.lab.documents import GIB, Lab, LabHost, LabWish

__all__ = ["check_wish", "disks_in", "left_as_they_are", "plan_hosts", "plan_lab", "refuse_other_mirror"]

MOST_HOSTS = 200
DISK_BYTES = 16 * GIB
LEAST_MEMORY = 256 * 2**20

KINDS = ((2 * GIB, 0), (2 * GIB, 2), (GIB, 0), (2 * GIB, 2))
"""Memory and accelerators of hosts that are to differ; the fifth is like the first."""


def check_wish(wish: LabWish) -> None:
    """Raise UsageError for a name no host can have, for too many hosts, or for less memory than a host boots with."""
    if not re.fullmatch(r"[a-z]([a-z0-9-]{0,28}[a-z0-9])?", wish.name):
        raise UsageError(
            "lab name",
            found=f"`{wish.name}`",
            expected="up to 30 small letters, digits and dashes, such as `lab`",
        )
    if not 1 <= wish.nodes <= MOST_HOSTS:
        raise UsageError("--nodes", found=str(wish.nodes), expected=f"from 1 to {MOST_HOSTS} hosts")
    if wish.memory_bytes is not None and wish.memory_bytes < LEAST_MEMORY:
        raise UsageError("--memory", found=f"{wish.memory_bytes} bytes", expected="256MiB or more")


def plan_lab(wish: LabWish, *, lab_id: str, image: Path, directory: Path, subnet: IPv4Network) -> Lab:
    """Make a new lab of a wish."""
    lab = Lab(
        name=wish.name,
        lab_id=lab_id,
        os=wish.os,
        image=str(image),
        directory=str(directory),
        network=str(subnet),
        disk_bytes=DISK_BYTES,
        hosts=(),
    )
    return plan_hosts(lab, wish)


def plan_hosts(lab: Lab, wish: LabWish) -> Lab:
    """Add the hosts that a lab lacks. Raises UnsatisfiableError for what a lab that is there cannot become.

    That is another Debian, another place of its disks, and another memory of hosts where none is added.
    """
    _refuse_others(lab, wish)
    numbers = range(len(lab.hosts) + 1, wish.nodes + 1)
    return msgspec.structs.replace(lab, hosts=(*lab.hosts, *(_host(lab, wish, number) for number in numbers)))


def _refuse_others(lab: Lab, wish: LabWish) -> None:
    if lab.os != wish.os:
        raise _another(lab.name, f"a lab of {lab.os}", f"one of {wish.os}")
    if wish.directory is not None and lab.hosts and lab.directory != str(disks_in(wish.directory, lab.name)):
        raise _another(
            lab.name, f"disks in {lab.directory}", f"in {disks_in(wish.directory, lab.name)}, as --dir says"
        )
    others = [host for host in lab.hosts if host.memory_bytes != wish.memory_bytes]
    if wish.memory_bytes is not None and others and wish.nodes <= len(lab.hosts):
        have = dict.fromkeys(_memory(host.memory_bytes) for host in others)
        raise _another(
            lab.name, f"hosts with {', '.join(have)}", f"{_memory(wish.memory_bytes)}, as --memory says"
        )
    if wish.vary and wish.nodes <= len(lab.hosts) and (alike := _alike(lab, wish)):
        found = f"{fold(host.name for host in alike)} made otherwise"
        raise _another(lab.name, found, "hosts that differ as --vary makes them")


def refuse_other_mirror(wish: LabWish, archive: str) -> None:
    """Raise UnsatisfiableError where hosts that are there take packages from elsewhere than is wished."""
    if wish.mirror is not None and wish.mirror.rstrip("/") != archive:
        raise _another(
            wish.name, f"hosts that take packages from {archive}", f"{wish.mirror}, as --mirror says"
        )


def left_as_they_are(lab: Lab, wish: LabWish) -> Iterator[str]:
    """Say what a lab that is there keeps, though something else is wished of hosts: their number, and what they are."""
    if wish.nodes < len(lab.hosts):
        yield f"lab {lab.name} keeps its {len(lab.hosts)} hosts: `up` takes none away"
    if wish.memory_bytes is not None:
        others = [host for host in lab.hosts if host.memory_bytes != wish.memory_bytes]
        have = dict.fromkeys(_memory(host.memory_bytes) for host in others)
        if others:
            names = fold(host.name for host in others)
            yield f"{names} stay as they are, with {', '.join(have)}: --memory is for new hosts"
    elif wish.vary and (others := _alike(lab, wish)):
        yield f"{fold(host.name for host in others)} stay as they are: --vary is for new hosts"


def _alike(lab: Lab, wish: LabWish) -> list[LabHost]:
    """List the hosts that are otherwise than they would be made by this wish."""
    return [host for host in lab.hosts if host != _host(lab, wish, host.number)]


def disks_in(directory: Path, name: str) -> Path:
    """Name the folder of a lab's disks in a folder that a person named."""
    return directory.absolute() / name


def _another(name: str, found: str, expected: str) -> UnsatisfiableError:
    hint = f"give it another name with --name, or take it down first: ogai lab down {name}"
    return UnsatisfiableError(f"lab {name}", found=found, expected=expected, hint=hint)


def _memory(size: int | None) -> str:
    return "no limit of memory" if size is None else f"{format_bytes(size)} of memory"


def _host(lab: Lab, wish: LabWish, number: int) -> LabHost:
    memory, accelerators = KINDS[(number - 1) % len(KINDS)] if wish.vary else (None, 0)
    return LabHost(
        name=f"{lab.name}-{number}",
        number=number,
        address=str(lab.subnet[number + 1]),
        memory_bytes=wish.memory_bytes or memory,
        accelerators=accelerators,
    )
