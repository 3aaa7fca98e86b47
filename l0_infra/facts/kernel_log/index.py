"""Many patterns are looked for in a log at once: one walk through it for each fixed piece, then a closer look."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from l0_infra.facts.kernel_log.text import Pattern

__all__ = ["Index"]

T = TypeVar("T")


class Index(Generic[T]):
    """What is looked for, by the longest fixed piece of its pattern."""

    def __init__(self, sought: Iterable[tuple[Pattern, T]]) -> None:
        self._by_anchor: dict[str, list[T]] = {}
        for pattern, one in sought:
            self._by_anchor.setdefault(pattern.anchor, []).append(one)

    def candidates(self, texts: Sequence[str]) -> Mapping[int, list[T]]:
        """Return by the number of a line, in the order of lines, what may stand in it."""
        log = "\n".join(texts)
        found: dict[int, list[T]] = {}
        for anchor, sought in self._by_anchor.items():
            for line in _lines_with(log, anchor):
                found.setdefault(line, []).extend(sought)
        return dict(sorted(found.items()))


def _lines_with(log: str, piece: str) -> Iterator[int]:
    """Yield the number of each line that contains `piece`, from 0."""
    number = seen = 0
    at = log.find(piece)
    while at >= 0:
        number += log.count("\n", seen, at)
        seen = at
        yield number
        end = log.find("\n", at)
        at = log.find(piece, end) if end >= 0 else -1
