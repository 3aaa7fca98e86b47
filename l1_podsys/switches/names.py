"""What switches are called: in words that Slurm and node sets take, each once, and no node's name."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import TypeVar

__all__ = ["switch_names"]

Key = TypeVar("Key")

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
"""What a switch may be called in a `cluster` document."""

MANAGED = re.compile(r"MF0;([^:]+):[^/]*/(.+)")
"""How NVIDIA's managed InfiniBand switches describe themselves: host name, type, and which of a chassis' switches."""

ONLY = "U1"


def switch_names(told: Mapping[Key, tuple[str, str]], taken: Collection[str]) -> dict[Key, str]:
    """Name switches by (what they call themselves, an id that only they have).

    The host name counts, without its domain where that is unique; an id where no name can be had, or two have it.
    """
    names: dict[Key, str] = {}
    used = {name.lower() for name in taken}
    for shape in (_short, _whole):
        shaped = {key: shape(name) for key, (name, _) in told.items() if key not in names}
        count = Counter(name.lower() for name in shaped.values())
        free = {key: name for key, name in shaped.items() if _fits(name) and name.lower() not in used}
        names |= {key: name for key, name in free.items() if count[name.lower()] == 1}
        used |= {name.lower() for name in names.values()}
    return {key: names.get(key) or _by_id(identity) for key, (_, identity) in told.items()}


def _fits(name: str) -> bool:
    return bool(NAME.fullmatch(name))


def _short(name: str) -> str:
    """Return the host name without its domain, with the place in a chassis that has several switches."""
    managed = MANAGED.fullmatch(name)
    host, unit = (managed[1], managed[2]) if managed else (name, ONLY)
    return _plain(host.partition(".")[0] + ("" if unit == ONLY else f"-{unit}"))


def _whole(name: str) -> str:
    managed = MANAGED.fullmatch(name)
    return _plain(f"{managed[1]}-{managed[2]}" if managed else name)


def _plain(name: str) -> str:
    """Turn what no name may hold into hyphens; a text with blanks is a description, which many switches share."""
    return "" if " " in name else re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")


def _by_id(identity: str) -> str:
    return f"sw-{re.sub(r'[^a-z0-9]', '', identity.lower().removeprefix('0x'))[:28]}"
