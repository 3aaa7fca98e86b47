"""From a wish to a lab: names, addresses, what differs between hosts. Pure."""

from ipaddress import IPv4Network
from pathlib import Path

import msgspec

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l1_podsys.lab.documents import Lab, LabHost, LabWish

__all__ = ["check_wish", "plan_hosts", "plan_lab"]

MOST_HOSTS = 200


def check_wish(wish: LabWish) -> None:
    """Raise UsageError for a name that no host can have, or a number of hosts that no subnet holds."""
    import re

    if not re.fullmatch(r"[a-z]([a-z0-9-]{0,28}[a-z0-9])?", wish.name):
        raise UsageError(
            "lab name",
            found=f"`{wish.name}`",
            expected="up to 30 small letters, digits and dashes, such as `lab`",
        )
    if not 1 <= wish.nodes <= MOST_HOSTS:
        raise UsageError("--nodes", found=str(wish.nodes), expected=f"from 1 to {MOST_HOSTS} hosts")


def plan_lab(wish: LabWish, *, lab_id: str, image: Path, directory: Path, subnet: IPv4Network) -> Lab:
    """Make a new lab of a wish."""
    lab = Lab(
        name=wish.name,
        lab_id=lab_id,
        os=wish.os,
        image=str(image),
        directory=str(directory),
        network=str(subnet),
        disk_bytes=wish.disk_bytes,
        hosts=(),
    )
    return plan_hosts(lab, wish)


def plan_hosts(lab: Lab, wish: LabWish) -> Lab:
    """Add the hosts that a lab lacks. Raises UnsatisfiableError when another Debian is wished for."""
    if lab.os != wish.os:
        raise UnsatisfiableError(
            f"lab {lab.name}",
            found=f"a lab of {lab.os}",
            expected=f"one of {wish.os}",
            hint=f"give it another name with --name, or take it down first: ogai lab down {lab.name}",
        )
    numbers = range(len(lab.hosts) + 1, wish.nodes + 1)
    return msgspec.structs.replace(lab, hosts=(*lab.hosts, *(_host(lab, wish, number) for number in numbers)))


def _host(lab: Lab, wish: LabWish, number: int) -> LabHost:
    return LabHost(
        name=f"{lab.name}-{number}",
        number=number,
        address=str(lab.subnet[number + 1]),
        memory_bytes=wish.memory_bytes,
    )
