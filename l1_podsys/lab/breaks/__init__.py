"""Ways to break a host on purpose, each with its mend."""

from l1_podsys.lab.breaks.clock import CLOCK_SKEW
from l1_podsys.lab.breaks.declare import Break
from l1_podsys.lab.breaks.handle import HostHandle
from l1_podsys.lab.breaks.inside import DISK_FULL, KILL_SSHD, LOCK_APT
from l1_podsys.lab.breaks.machine import FREEZE, POWER_OFF, SLOW_CPU
from l1_podsys.lab.breaks.network import CABLE, SLOW_NET

__all__ = ["BREAKS", "Break", "HostHandle", "breaks_of", "heal_host"]

BREAKS: dict[str, Break] = {
    kind.name: kind
    for kind in (
        POWER_OFF,
        CABLE,
        FREEZE,
        DISK_FULL,
        KILL_SSHD,
        SLOW_CPU,
        SLOW_NET,
        LOCK_APT,
        CLOCK_SKEW,
    )
}

ORDER = (FREEZE, POWER_OFF, CABLE, SLOW_NET, SLOW_CPU, DISK_FULL, KILL_SSHD, LOCK_APT)
"""A host is thawed and switched on before anything inside it is mended."""


def breaks_of(at: HostHandle) -> tuple[str, ...]:
    """Name what a host is broken by, as it is now: read from the host, not from what was asked for."""
    return tuple(kind.name for kind in BREAKS.values() if kind.shows(at))


def heal_host(at: HostHandle) -> tuple[str, ...]:
    """Mend all that a host is broken by; return what that was."""
    healed = []
    for kind in ORDER:
        if kind.shows(at):
            kind.heal(at)
            healed.append(kind.name)
    return tuple(healed)
