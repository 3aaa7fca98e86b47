"""A clock that is wrong: which hosts that share one kernel cannot have."""

from typing import NoReturn

from l0_infra.core.errors import UnsatisfiableError
from l1_podsys.lab.breaks.declare import Break
from l1_podsys.lab.breaks.handle import HostHandle

__all__ = ["CLOCK_SKEW"]


def _refuse(at: HostHandle) -> NoReturn:
    raise UnsatisfiableError(
        f"lab host {at.host.name}",
        found="the wall clock of this machine, which all its hosts share",
        expected="a clock of the host's own",
        hint="a time namespace moves only the monotonic clocks (time_namespaces(7)); this takes a virtual machine",
    )


CLOCK_SKEW = Break(
    name="clock-skew",
    help="not possible here: hosts on one kernel share its wall clock",
    breaks=_refuse,
    heal=_refuse,
    shows=lambda at: False,
)
