"""A host whose cable is out, or whose network is slow."""

from pathlib import Path

from l0_infra.core.exec import Command
from l1_podsys.lab.breaks.declare import Break
from l1_podsys.lab.breaks.handle import HostHandle

__all__ = ["CABLE", "SLOW_NET"]

UP = 0x1
"""`IFF_UP` of netdevice(7)."""

SHAPE = ("root", "tbf", "rate", "1mbit", "burst", "16kb", "latency", "400ms")
"""Token bucket (tc-tbf(8)); the kernel's delays (netem) are seldom built in."""


def _set_link(at: HostHandle, word: str) -> None:
    at.runner.run(Command(argv=("ip", "link", "set", at.lab.cable(at.host), word))).check()


def _is_out(at: HostHandle) -> bool:
    flags = Path(f"/sys/class/net/{at.lab.cable(at.host)}/flags")
    return flags.exists() and not int(flags.read_text(), 16) & UP


def _slow(at: HostHandle) -> None:
    for argv in _both_ends(at, "replace", *SHAPE):
        at.runner.run(Command(argv=argv)).check(hint="this needs tc, and CONFIG_NET_SCH_TBF in the kernel")


def _unslow(at: HostHandle) -> None:
    for argv in _both_ends(at, "delete", "root"):
        at.runner.run(Command(argv=argv))


def _is_slow(at: HostHandle) -> bool:
    if at.leader is None:
        return False
    shown = at.runner.run(Command(argv=("tc", "qdisc", "show", "dev", at.lab.cable(at.host))))
    return "tbf" in shown.stdout


def _both_ends(at: HostHandle, verb: str, *words: str) -> tuple[tuple[str, ...], ...]:
    inside = ("nsenter", "--target", str(at.leader), "--net")
    return (
        ("tc", "qdisc", verb, "dev", at.lab.cable(at.host), *words),
        (*inside, "tc", "qdisc", verb, "dev", "eth0", *words),
    )


CABLE = Break(
    name="cable",
    help="its network cable is out: the link is down, the host itself goes on",
    breaks=lambda at: _set_link(at, "down"),
    heal=lambda at: _set_link(at, "up"),
    shows=_is_out,
)

SLOW_NET = Break(
    name="slow-net",
    help="its network carries 1 Mbit/s, both ways",
    breaks=_slow,
    heal=_unslow,
    shows=_is_slow,
)
