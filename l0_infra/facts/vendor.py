"""What the parsers of all vendors' tools share: numbers that may be missing, and the form of a result."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from l0_infra.facts.tree import integer
from l0_infra.schemas import Accelerator, AcceleratorLink, FabricPort, Software, Unread

__all__ = ["MIB", "Found", "mebibytes", "pci_address", "percent", "pid", "program", "text"]

MIB = 2**20
UNKNOWN = re.compile(r"|-|n/?a|\[.*\]|not (supported|found|available)|err.*|unknown.*", re.I)
"""What tools print for what they do not know: `[N/A]`, `[Not Supported]`, `ERR!`, `Unknown`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """The accelerators of one vendor, what comes with them, and what could not be read about them."""

    accelerators: tuple[Accelerator, ...] = ()
    unread: tuple[Unread, ...] = ()
    software: tuple[Software, ...] = ()
    fabric: tuple[FabricPort, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """Ids by the names that a table of the topology has for accelerators, where they differ: `NPU3`, `Phy-ID3`."""


def text(word: str) -> str | None:
    """Return a word without blanks around it; None for what tools print when they do not know."""
    bare = word.strip()
    return None if UNKNOWN.fullmatch(bare) else bare


def links_up(links: tuple[AcceleratorLink, ...] | None) -> int | None:
    """Count the links that are up; None when of any it is not known."""
    states = [link.active for link in links or ()]
    return None if links is None or None in states else states.count(True)


def mebibytes(word: str) -> int | None:
    """Read a size printed in MiB and return bytes."""
    size = integer(word)
    return None if size is None else size * MIB


def percent(word: str) -> float | None:
    """Read a share between 0 and 100."""
    match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*%?", word.strip())
    return float(match[1]) if match and float(match[1]) <= 100 else None


def pid(word: str) -> int | None:
    """Read a process id, at most what Linux allows."""
    value = integer(word)
    return value if value is not None and 1 <= value <= 2**22 else None


def program(command: str) -> str | None:
    """Name the program of a command line, without its folder and arguments."""
    return text(command.strip().split(" ")[0].rpartition("/")[2])


def pci_address(word: str) -> str | None:
    """Read a PCI address in any spelling (`00000000:18:00.0`, `18:00.0`); return it as the kernel does."""
    match = re.fullmatch(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", word.strip().lower())
    return f"{int(match[1] or '0', 16):04x}:{match[2]}" if match else None
