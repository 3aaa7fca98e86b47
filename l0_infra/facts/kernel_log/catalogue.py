"""What lines of a kernel's log mean, as data beside this module, and which of it stands in a log."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

from l0_infra.core.documents import read_document
from l0_infra.facts.kernel_log.device import device_name
from l0_infra.facts.kernel_log.index import Index
from l0_infra.facts.kernel_log.text import Found, Pattern, match_line, parse_pattern
from l0_infra.schemas import KernelCatalogue, KnownEvent

__all__ = ["Catalogue", "Sighting", "load_events"]

WITHIN = 4
"""Lines within which the next line of a text follows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sought:
    """One text of an entry: a pattern for each of its lines."""

    event: KnownEvent
    rank: int
    text: str
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sighting:
    """An entry that was recognised: in which lines, of which device, with which number."""

    event: KnownEvent
    lines: tuple[int, ...]
    device: str | None
    code: int | None


Place = tuple[tuple[int, ...], Found]
"""The lines in which a text stands, and what varies in them."""


class Catalogue:
    """Known events; of several that fit a line the first counts."""

    def __init__(self, events: Iterable[KnownEvent]) -> None:
        texts = [(event, text) for event in events for text in event.texts]
        sought = (
            Sought(event=event, rank=rank, text=text, patterns=tuple(map(parse_pattern, text.split("\n"))))
            for rank, (event, text) in enumerate(texts)
        )
        self._index = Index((one.patterns[0], one) for one in sought)

    def find(self, texts: Sequence[str]) -> Iterator[Sighting]:
        """Yield what these lines tell, in their order; a line tells one event."""
        taken: set[int] = set()
        for line, candidates in self._index.candidates(texts).items():
            seen = None if line in taken else sight(texts, line, candidates)
            if seen is not None:
                taken.update(seen.lines)
                yield seen


def sight(texts: Sequence[str], line: int, candidates: Iterable[Sought]) -> Sighting | None:
    """Return what a line tells, with those after it where a text goes on; a text of many entries is looked for once."""
    places: dict[str, Place | None] = {}
    for one in sorted(candidates, key=lambda one: one.rank):
        if one.text not in places:
            places[one.text] = look(texts, line, one.patterns)
        place = places[one.text]
        if place is not None and (not one.event.codes or place[1].code in one.event.codes):
            lines, found = place
            device = None if found.device is None else device_name(found.device)
            return Sighting(event=one.event, lines=lines, device=device, code=found.code)
    return None


def look(texts: Sequence[str], line: int, patterns: Iterable[Pattern]) -> Place | None:
    """Look for patterns in a line and those after it."""
    lines: list[int] = []
    device: str | None = None
    code: int | None = None
    near = range(line, line + 1)
    for pattern in patterns:
        told = ((number, match_line(texts[number], pattern)) for number in near if number < len(texts))
        number, found = next(((number, found) for number, found in told if found is not None), (0, None))
        if found is None:
            return None
        lines.append(number)
        device, code = device or found.device, found.code if code is None else code
        near = range(number + 1, number + 1 + WITHIN)
    return tuple(lines), Found(device=device, code=code)


@cache
def load_events() -> tuple[KnownEvent, ...]:
    """Read the entries that ship with ogai."""
    with as_file(files(__package__) / "known") as folder:
        return tuple(
            event
            for path in sorted(folder.glob("*.yaml"))
            for event in read_document(path, expect=KernelCatalogue).events
        )
