"""How a node should be set, whatever it is for: clock, kernel and limits, where its software comes from."""

import re
from collections.abc import Iterator
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta, field

from l0_infra.core.documents import Bytes, Part, Text, repeated
from l0_infra.core.errors import Fault
from l0_infra.schemas.node import address_fault
from l0_infra.schemas.pins import HugepagesPin

__all__ = ["Packages", "Time", "Tuning"]

Path = Annotated[str, Meta(pattern=r"^/", extra_json_schema={"x-words": "a path that begins with `/`"})]

SYSCTL_NAME = re.compile(r"[a-z0-9_]+([./][A-Za-z0-9_*:@-]+)+")


class Time(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The clock all nodes share."""

    zone: Annotated[Text, Meta(description="Time zone.")] = "UTC"
    servers: Annotated[tuple[Text, ...], Meta(description="NTP servers; none: the distribution's.")] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield a zone that nobody knows, servers that are neither an address nor a name, and one named twice."""
        if not _is_zone(self.zone):
            yield Fault(
                path=("zone",),
                found=f"`{self.zone}`",
                expected="a time zone such as `Europe/Berlin` or `UTC`",
                hint="timedatectl list-timezones",
            )
        for index, server in enumerate(self.servers):
            if fault := address_fault(server, ("servers", index)):
                yield fault
            elif server in self.servers[:index]:
                yield Fault(path=("servers", index), found=f"`{server}` again", expected="each server once")


class Tuning(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Kernel and limits of every node; what is not named is left as it is."""

    sysctl: Annotated[dict[Text, str], Meta(description="Kernel settings by their sysctl name.")] = field(
        default_factory=dict
    )
    hugepages: Annotated[tuple[HugepagesPin, ...], Meta(description="Huge pages to reserve.")] = ()
    memlock_unlimited: Annotated[
        bool, Meta(description="Whether any process may lock all its memory, as RDMA needs it.")
    ] = True
    open_files: Annotated[int, Meta(ge=1024, description="Files a process may have open.")] = 1048576
    journal_max_bytes: Annotated[Bytes, Meta(description="Most that the journal may take on disk.")] = 2**30
    governor: Annotated[
        Text | None, Meta(description="CPU frequency governor: `performance`; null: left alone.")
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield settings that the kernel cannot have, and huge pages of one size named twice."""
        for name, value in self.sysctl.items():
            if not SYSCTL_NAME.fullmatch(name):
                expected = "a name such as `vm.swappiness`"
                yield Fault(path=("sysctl", name), found=f"`{name}`", expected=expected)
            elif (lines := len(value.splitlines())) > 1:
                yield Fault(path=("sysctl", name), found=f"{lines} lines", expected="a value on one line")
        yield from repeated("hugepages", "size_bytes", [pin.size_bytes for pin in self.hugepages])


class Packages(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where software comes from; what is null is left as each node has it."""

    apt_proxy: Annotated[Text | None, Meta(description="Proxy for apt: `http://head:3142`.")] = None
    apt_mirror: Annotated[
        Text | None, Meta(description="Debian or Ubuntu mirror in place of the distribution's.")
    ] = None
    apt_security_mirror: Annotated[
        Text | None, Meta(description="Mirror of the security updates; null: they stay the distribution's.")
    ] = None
    wheelhouse: Annotated[
        Path | None, Meta(description="Folder of Python wheels on the nodes, used without a network.")
    ] = None
    python_index: Annotated[Text | None, Meta(description="Python package index, as pip takes it.")] = None


def _is_zone(name: str) -> bool:
    """Whether a zone is known; where this machine knows none, any is taken."""
    for known in (name, "UTC"):
        try:
            ZoneInfo(known)
        except ZoneInfoNotFoundError:
            continue
        except (ValueError, OSError):
            return False
        return known == name
    return True
