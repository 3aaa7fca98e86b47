"""What the machine is called, what runs on it, and what its firmware says."""

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import Tree, settings, text_at
from l0_infra.schemas import Chassis, Membership, OperatingSystem

__all__ = [
    "SYSTEM",
    "UNAME",
    "parse_boot_id",
    "parse_chassis",
    "parse_hostname",
    "parse_membership",
    "parse_os",
]

DMI = "/sys/class/dmi/id"
CONTAINER = "/run/systemd/container"
MEMBER = "/etc/ogai/cluster"
BOOT_ID = "/proc/sys/kernel/random/boot_id"

UNAME = Source(
    name="uname.txt",
    program="uname",
    quick=True,
    command="cd /proc/sys/kernel && [ -e arch ] && read -r name <hostname && read -r release <osrelease &&"
    ' read -r arch <arch && echo "$name $release $arch" || uname -nrm',
    whole="uname -nrm",
)
"""Since version 6.1 the kernel's files tell the architecture too."""

SYSTEM = Source(
    name="system.txt",
    program="grep",
    quick=True,
    command=f"grep -H '' /etc/os-release /usr/lib/os-release {BOOT_ID} {CONTAINER} {MEMBER}"
    f" {DMI}/sys_vendor {DMI}/product_name {DMI}/product_serial {DMI}/product_uuid",
)


def parse_hostname(uname: str) -> str | None:
    """Read the host name from what UNAME printed."""
    return next(iter(uname.split()), None)


def parse_os(uname: str, tree: Tree) -> OperatingSystem:
    """Put together kernel and distribution."""
    _, kernel, architecture, *_ = [*uname.split(), None, None, None]
    lines = tree.get("/etc/os-release") or tree.get("/usr/lib/os-release") or ()
    release = settings(lines, "=")
    return OperatingSystem(
        name=release.get("PRETTY_NAME") or release.get("NAME") or None,
        id=release.get("ID") or None,
        version=release.get("VERSION_ID") or None,
        kernel=kernel,
        architecture=architecture,
        container=text_at(tree, CONTAINER),
    )


def parse_chassis(tree: Tree) -> Chassis:
    """Read what the firmware left in DMI, placeholders included."""
    return Chassis(
        vendor=text_at(tree, f"{DMI}/sys_vendor"),
        product=text_at(tree, f"{DMI}/product_name"),
        serial=text_at(tree, f"{DMI}/product_serial"),
        uuid=text_at(tree, f"{DMI}/product_uuid"),
    )


def parse_membership(tree: Tree) -> Membership | None:
    """Read whose node this is; None where nothing, or not all of it, is said."""
    told = settings(tree.get(MEMBER, ()), "=")
    cluster, number = told.get("cluster"), told.get("id")
    return Membership(cluster=cluster, id=number) if cluster and number else None


def parse_boot_id(tree: Tree) -> str | None:
    """Read the id of this boot."""
    return text_at(tree, BOOT_ID)
