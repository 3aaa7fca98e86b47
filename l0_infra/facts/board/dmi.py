"""What `dmidecode` prints: one structure after another, each with its number and its fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import settings

__all__ = ["DMIDECODE", "Structure", "parse_dmi", "told"]

DMIDECODE = Source(
    name="dmidecode.txt",
    also=("dmidecode*",),
    marks=("# dmidecode ",),
    program="dmidecode",
    when="[ -d /sys/class/dmi/id ]",
    command="dmidecode -t 17,38,42",
    whole="dmidecode",
)
"""Asked only where the firmware has such tables: elsewhere `dmidecode` would search all memory for them."""

HEAD = re.compile(r"^Handle (0x[0-9A-Fa-f]{4}), DMI type ([0-9]{1,3}), [0-9]+ bytes[ \t\r]*$", re.M)
PLACEHOLDER = re.compile(
    r"|not (specified|provided|available|present)|unknown.*|undefined.*|none|n/?a|no dimm"
    r"|no module installed|<.*>|to be filled.*|[0x ]+",
    re.I,
)
"""What firmware and `dmidecode` write where there is nothing to tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Structure:
    """One structure of DMI, by its type number in the SMBIOS specification (DSP0134)."""

    handle: str
    type: int
    fields: Mapping[str, str]


def parse_dmi(text: str) -> tuple[Structure, ...]:
    """Take the structures apart; what comes before the first, and what is cut off, is left out."""
    heads = list(HEAD.finditer(text))
    ends = [*(head.start() for head in heads), len(text)][1:]
    return tuple(
        Structure(handle=head[1], type=int(head[2]), fields=_fields(text[head.end() : end]))
        for head, end in zip(heads, ends, strict=True)
    )


def told(structure: Structure, *names: str) -> str | None:
    """Return the first of the fields that says something, for names that changed between versions."""
    values = (structure.fields.get(name, "").strip() for name in names)
    return next((value for value in values if not PLACEHOLDER.fullmatch(value)), None)


def _fields(block: str) -> Mapping[str, str]:
    """Read the fields up to the blank line that ends a structure."""
    return settings(tuple(re.split(r"\n[ \t\r]*\n", block.lstrip("\r\n"))[0].split("\n")), ":")
