"""Time zone and the kernel's own word on whether the clock is synchronised."""

import re

from l0_infra.facts.tree import settings

__all__ = ["parse_kernel_sync", "parse_zone"]

SYNCHRONISED = ("System clock synchronized", "NTP synchronized")
"""What `timedatectl` calls it, since version 240 and before."""


def parse_kernel_sync(timedatectl: str) -> bool | None:
    """Read the kernel's mark from `timedatectl show` or `timedatectl`."""
    lines = tuple(timedatectl.split("\n"))
    told = settings(lines, ":")
    words = [settings(lines, "=").get("NTPSynchronized", ""), *(told.get(name, "") for name in SYNCHRONISED)]
    return next((word == "yes" for word in words if word in ("yes", "no")), None)


def parse_zone(timedatectl: str, zone: str) -> str | None:
    """Read the zone's name; `zone` is what /etc/localtime links to, and /etc/timezone."""
    lines = tuple(timedatectl.split("\n"))
    told = settings(lines, "=").get("Timezone") or settings(lines, ":").get("Time zone", "").partition(" ")[0]
    linked = re.search(r"^\S*/zoneinfo/(\S+)$", zone, re.M)
    named = re.search(r"^[A-Z][A-Za-z_+-]+(?:/[\w+-]+)*$", zone, re.M)
    return told or (linked[1] if linked else None) or (named[0] if named else None)
