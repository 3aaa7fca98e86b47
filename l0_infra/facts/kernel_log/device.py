"""One spelling for one device, so that a log's lines about it come together."""

import re

__all__ = ["device_name"]

PCI = re.compile(
    r"(?:pci:)?(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([01][0-9a-f])(?:\.([0-7]))?(?![0-9a-f.:])", re.I
)


def device_name(word: str) -> str:
    """Return a PCI address in any spelling as the kernel writes it, and any other name as it is.

    `PCI:0000:1B:00`, `0000:1b:00`, `1b:00.0` and `00000000:1B:00.0` are all `0000:1b:00.0`; what follows in the
    same word, such as a part of a partitioned GPU, is left out.
    """
    found = PCI.match(word)
    if found is None or (found[1] is None and found[4] is None):
        return word
    domain, bus, slot, function = found.groups()
    return f"{int(domain or '0', 16):04x}:{bus}:{slot}.{function or '0'}".lower()
