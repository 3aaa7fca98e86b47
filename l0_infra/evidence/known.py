"""Which source a file comes from: by its name, by a name people give it, or by what it says."""

from collections.abc import Sequence
from fnmatch import fnmatch

from l0_infra.facts.bundle import Source

__all__ = ["source_of"]

HEAD = 4096
"""How far into a file is looked for what gives it away, in characters."""


def source_of(path: str, text: str, sources: Sequence[Source]) -> Source | None:
    """Find the source that says what the file holds; None when none is known, or several could.

    A source's own name counts first, then names that people give it, then what only that source says.
    """
    name = path.rpartition("/")[2].lower()
    for source in sources:
        if name == source.name.lower():
            return source
    named = [source for source in sources if any(fnmatch(name, one) for one in source.also)]
    if len(named) == 1:
        return named[0]
    telling = [source for source in named or sources if any(mark in text[:HEAD] for mark in source.marks)]
    return telling[0] if len(telling) == 1 else None
