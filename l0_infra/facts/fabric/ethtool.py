"""`ethtool`: rate, lanes and firmware of a port's interface, its pause frames, and its driver's own counters."""

import re
from collections.abc import Mapping

import msgspec

from l0_infra.facts.bundle import Source
from l0_infra.facts.fabric.counters import TROUBLE, parse_counters
from l0_infra.facts.fabric.sections import ANY_DEVICE, each_port, sections
from l0_infra.facts.tree import integer
from l0_infra.schemas import Counter

__all__ = ["ETHTOOL", "Interface", "parse_ethtool"]

ETHTOOL = Source(
    name="ethtool.txt",
    program="ethtool",
    when=ANY_DEVICE,
    also=("ethtool*",),
    marks=("# ethtool ", "Settings for "),
    command=each_port(
        *("ethtool {}", "ethtool -i {}", "ethtool -a {}"),
        f"ethtool -S {{}} | grep -iE 'statistics|({TROUBLE}).*: [1-9]'",
        ethernet=False,
    ),
)
NAMED = r"(?:Settings|Pause parameters) for (\S{1,64}):\s*"


class Interface(msgspec.Struct, frozen=True, kw_only=True):
    """What `ethtool` says of one interface."""

    rate_bits_per_s: int | None = None
    width: int | None = None
    firmware_version: str | None = None
    board: str | None = None
    pause_rx: bool | None = None
    pause_tx: bool | None = None
    counters: tuple[Counter, ...] | None = None


def parse_ethtool(text: str) -> Mapping[str, Interface]:
    """Read what several runs printed, by interface; some of them name it themselves."""
    told: dict[str, list[str]] = {}
    for name, output in sections(text, "ethtool"):
        for line in output.split("\n"):
            if " for " in line and (own := re.fullmatch(NAMED, line)):
                name = own[1]
            told.setdefault(name, []).append(line)
    return {name: _interface("\n".join(lines)) for name, lines in told.items() if name}


def _interface(text: str) -> Interface:
    firmware = re.search(r"^firmware-version: ([0-9][\w.]{0,40})(?: \((\S{1,40})\))?\s*$", text, re.M)
    speed = re.search(r"^\s*Speed: ([0-9]{1,7})Mb/s\s*$", text, re.M)
    lanes = re.search(r"^\s*Lanes: ([0-9]{1,2})\s*$", text, re.M)
    return Interface(
        rate_bits_per_s=int(speed[1]) * 10**6 if speed else None,
        width=integer(lanes[1]) if lanes else None,
        firmware_version=firmware[1] if firmware else None,
        board=firmware[2] if firmware else None,
        pause_rx=_pause(text, "RX"),
        pause_tx=_pause(text, "TX"),
        counters=_counters(text),
    )


def _pause(text: str, direction: str) -> bool | None:
    match = re.search(rf"^{direction}:\s*(on|off)\s*$", text, re.M)
    return match[1] == "on" if match else None


def _counters(text: str) -> tuple[Counter, ...] | None:
    _, found, rest = text.partition("NIC statistics:")
    pairs = re.findall(r"^\s+([\w.-]{1,80}): ([0-9]{1,18})\s*$", rest, re.M)
    return parse_counters(pairs) if found else None
