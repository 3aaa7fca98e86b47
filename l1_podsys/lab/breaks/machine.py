"""A host that is off, stands still, or is slow."""

import time

from l0_infra.core.errors import EngineError
from l1_podsys.lab.breaks.declare import Break
from l1_podsys.lab.breaks.handle import HostHandle
from l1_podsys.lab.cgroups import freeze, is_frozen, thaw
from l1_podsys.lab.keepers import cut_power, settle, start_host, wait_for_host
from l1_podsys.lab.limits import apply_limits, cpu_share, limit_cpu

__all__ = ["FREEZE", "POWER_OFF", "SLOW_CPU"]

BOOT_S = 60.0
DEATH_S = 10.0
SLOW = 0.1


def _power_off(at: HostHandle) -> None:
    """Cut the power; that its keeper ends, too, is waited for by who starts the host again."""
    cut_power(at.groups, at.lab, at.host)
    deadline = time.monotonic() + DEATH_S
    while at.leader is not None:
        if time.monotonic() > deadline:
            raise EngineError(
                f"lab host {at.host.name}",
                found=f"its first process, {at.leader}, alive {DEATH_S:g} s after it was killed",
                expected="its end",
                hint=f"cat /proc/{at.leader}/stack says what it waits for",
                retry=True,
            )
        time.sleep(0.02)


def _power_on(at: HostHandle) -> None:
    settle(at.groups, at.lab, at.host, at.layout)
    apply_limits(at.groups, at.lab, at.host)
    start_host(at.lab, at.host, at.layout, at.groups)
    wait_for_host(at.lab, at.host, at.layout, at.groups, wait_s=BOOT_S)


POWER_OFF = Break(
    name="power-off",
    help="the power is cut: every process dies at once",
    breaks=_power_off,
    heal=_power_on,
    shows=lambda at: at.leader is None,
)

FREEZE = Break(
    name="freeze",
    help="all its processes stand still: connections open and nobody answers",
    breaks=lambda at: freeze(at.groups, at.machine),
    heal=lambda at: thaw(at.groups, at.machine),
    shows=lambda at: is_frozen(at.groups, at.machine),
)

SLOW_CPU = Break(
    name="slow-cpu",
    help="it gets a tenth of one processor",
    breaks=lambda at: limit_cpu(at.groups, at.lab, at.host, SLOW),
    heal=lambda at: limit_cpu(at.groups, at.lab, at.host, None),
    shows=lambda at: cpu_share(at.groups, at.lab, at.host) is not None,
)
