"""Many node names in one word: `node[001-003,010]` expanded and folded, with every zero kept."""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from math import prod

from l0_infra.core.errors import UsageError

__all__ = ["expand", "fold", "fold_in_order", "natural_key", "repeats"]

LIMIT = 1_000_000
"""Most names one text may expand to."""

_DIGITS = re.compile(r"([0-9]{1,18})")
_SPAN = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18})(?:/([0-9]{1,18}))?)?", re.ASCII)
_NAME = re.compile(r"[^\s,\[\]]+")

Row = tuple[str, ...]
Choices = tuple[str, ...]
Key = tuple[tuple[str, int, int], ...]


def expand(text: str) -> tuple[str, ...]:
    """List the names that `text` stands for, in its order, each once; blank text gives none.

    `a[1-3]`, `a[01-03,7]`, `a[0-10/5]-ib`, `r[1-2]n[01-02]`, `a1,b[2-3]`. A first number with a leading zero
    pads its range to its own width. Raises UsageError for brackets that do not balance, empty or reversed
    ranges, and more than LIMIT names.
    """
    return tuple(dict.fromkeys(_each(text)))


def repeats(text: str) -> tuple[str, ...]:
    """List the names that `text` names more than once; it is read, and refused, as `expand` does."""
    seen: set[str] = set()
    again: dict[str, None] = {}
    for name in _each(text):
        if name in seen:
            again[name] = None
        seen.add(name)
    return tuple(again)


def fold(names: Iterable[str]) -> str:
    """Write `names` as one short text that `expand` turns back into the same set; natural order, each once.

    Raises UsageError for a name that is empty or holds a comma, a bracket or a blank.
    """
    families: dict[Row, list[Row]] = {}
    for name in dict.fromkeys(names):
        if not _NAME.fullmatch(name):
            raise UsageError(
                "node set", found=f"name {name!r}", expected="a name without blanks, commas or brackets"
            )
        parts = _DIGITS.split(name)
        families.setdefault(tuple(parts[::2]), []).append(tuple(parts[1::2]))
    words = (word for texts, rows in families.items() for word in _fold_family(texts, rows))
    return ",".join(word for _, word in sorted(words))


def fold_in_order(names: Iterable[str]) -> str:
    """Write `names` as one text that `expand` turns back into the same names in the same order.

    What counts upwards in one place is folded: `10.0.0.[7-9],10.0.0.1`. Raises UsageError as `fold` does.
    """
    runs: list[list[str]] = []
    axis: int | None = None
    for name in names:
        step = _upward(runs[-1][-1], name) if runs else None
        if step is not None and (len(runs[-1]) == 1 or step == axis):
            runs[-1].append(name)
            axis = step
        else:
            runs.append([name])
    return ",".join(map(fold, runs))


def natural_key(name: str) -> Key:
    """Sort key under which `mlx5_2 < mlx5_10` and, of equal numbers, the shorter one comes first."""
    parts = _DIGITS.split(name)
    numbers = (*parts[1::2], "")
    pairs = zip(parts[::2], numbers, strict=True)
    return tuple([(text, int(digits) if digits else -1, len(digits)) for text, digits in pairs])


def _upward(before: str, after: str) -> int | None:
    """Say in which number `after` is above `before`, when it is the same in all else."""
    first, second = _DIGITS.split(before), _DIGITS.split(after)
    if first[::2] != second[::2]:
        return None
    changed = [place for place, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1]]
    upwards = len(changed) == 1 and int(first[changed[0]]) < int(second[changed[0]])
    return changed[0] if upwards else None


def _each(text: str) -> Iterator[str]:
    """Yield the names one by one, also again."""
    room = LIMIT
    for word in _words(text):
        axes = _axes(word, text)
        room -= prod(len(axis) for axis in axes)
        if room < 0:
            raise _too_many(text)
        yield from map("".join, product(*axes))


def _words(text: str) -> Iterator[str]:
    """Split at commas outside brackets."""
    words = re.split(r",(?![^\[\]]*\])", text) if "[" in text or "]" in text else text.split(",")
    for word in words if text.strip() else ():
        if not word.strip():
            raise _fault(text, "nothing between two commas", "a name")
        yield word.strip()


def _axes(word: str, text: str) -> list[Choices]:
    """Cut a word into what stands in each place: one fixed text, or the numbers of a bracket."""
    axes = []
    for piece in re.split(r"(\[[^\[\]]*\])", word):
        if piece.startswith("[") and piece.endswith("]"):
            axes.append(tuple(_numbers(piece[1:-1], text)))
        elif piece:
            if not _NAME.fullmatch(piece):
                raise _fault(text, f"`{piece}`", "a name whose brackets balance, without blanks")
            axes.append((piece,))
    return axes


def _numbers(inside: str, text: str) -> list[str]:
    numbers: list[str] = []
    for span in inside.split(","):
        match = _SPAN.fullmatch(span.strip())
        if match is None:
            raise _fault(text, f"`[{inside}]`", "numbers and ranges such as `[1-3,07,10-20/2]`")
        numbers += _span(match[1], match[2] or match[1], int(match[3] or 1), text)
        if len(numbers) > LIMIT:
            raise _too_many(text)
    return numbers


def _span(first: str, last: str, step: int, text: str) -> Iterator[str]:
    width = len(first) if first.startswith("0") else 1
    if last.startswith("0") and len(last) != len(first):
        raise _fault(text, f"`{first}-{last}`", "both ends of a padded range with equally many digits")
    if int(last) < int(first) or step == 0:
        raise _fault(text, f"`{first}-{last}`", "a range that runs upwards, in steps of 1 or more")
    if (int(last) - int(first)) // step >= LIMIT:
        raise _too_many(text)
    return (str(number).zfill(width) for number in range(int(first), int(last) + 1, step))


def _fold_family(texts: Row, rows: list[Row]) -> Iterator[tuple[Key, str]]:
    """Fold names that share their texts; `rows` holds the numbers between. Each word has its sort key."""
    boxes: list[tuple[Choices, ...]] = [tuple((digits,) for digits in row) for row in rows]
    for axis in reversed(range(len(texts) - 1)):
        boxes = _merge(boxes, axis)
    for box in boxes:
        first = (numbers[0] for numbers in box)
        yield natural_key(_interleaved(texts, first)), _interleaved(texts, map(_bracket, box))


def _interleaved(texts: Row, between: Iterable[str]) -> str:
    return "".join(text + inner for text, inner in zip(texts, (*between, ""), strict=True))


def _merge(boxes: list[tuple[Choices, ...]], axis: int) -> list[tuple[Choices, ...]]:
    """Join the boxes that differ along one axis only."""
    groups: dict[tuple[tuple[Choices, ...], tuple[Choices, ...]], list[str]] = {}
    for box in boxes:
        groups.setdefault((box[:axis], box[axis + 1 :]), []).extend(box[axis])
    return [
        (*before, tuple(sorted(numbers, key=lambda digits: (int(digits), len(digits)))), *after)
        for (before, after), numbers in groups.items()
    ]


def _bracket(numbers: Choices) -> str:
    """Write distinct digit strings, sorted by value and then width, as a bracket; a single one stays bare."""
    if len(numbers) == 1:
        return numbers[0]
    padded = {len(digits) for digits in numbers if digits.startswith("0") and len(digits) > 1}
    by_width: dict[int, list[str]] = {}
    for digits in numbers:
        by_width.setdefault(len(digits) if len(digits) in padded else 0, []).append(digits)
    runs = sorted((run for same in by_width.values() for run in _runs(same)), key=lambda run: int(run[0]))
    return "[" + ",".join(first if first == last else f"{first}-{last}" for first, last in runs) + "]"


def _runs(numbers: list[str]) -> Iterator[tuple[str, str]]:
    """Yield first and last of each unbroken run of ascending numbers padded alike."""
    first = last = numbers[0]
    for digits in numbers[1:]:
        if int(digits) != int(last) + 1:
            yield first, last
            first = digits
        last = digits
    yield first, last


def _fault(text: str, found: str, expected: str) -> UsageError:
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    return UsageError(f"node set `{shown}`", found=found, expected=expected)


def _too_many(text: str) -> UsageError:
    return _fault(text, "more names than can be meant", f"at most {LIMIT:,} names")
