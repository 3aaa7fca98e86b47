"""Many small kernel files read by one `grep -H`: `path:line` becomes a table of files."""

import re
from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Tree", "cpu_list", "cpu_set", "integer", "parse_tree", "settings", "text_at"]

Tree = Mapping[str, tuple[str, ...]]
"""Lines by path."""


def parse_tree(text: str) -> Tree:
    """Read what `grep -H '' FILE…` printed; a colon ends the path unless it is part of a PCI address."""
    tree: dict[str, list[str]] = {}
    for line in text.split("\n"):
        match = re.match(
            r"(/(?:[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|[^:\n])*):(.*)", line.removesuffix("\r")
        )
        if match:
            tree.setdefault(match[1], []).append(match[2])
    return {path: tuple(lines) for path, lines in tree.items()}


def text_at(tree: Tree, path: str) -> str | None:
    """Return the first line of a file without blanks at its ends; None when it is missing or blank."""
    return tree.get(path, ("",))[0].strip() or None


def settings(lines: tuple[str, ...], separator: str) -> Mapping[str, str]:
    """Read lines `key<separator>value`; quotes around values go, the first of equal keys counts."""
    pairs = [line.partition(separator) for line in reversed(lines)]
    return {key.strip(): value.strip().strip("\"'") for key, found, value in pairs if found}


def integer(text: str | None) -> int | None:
    """Read a whole number of at most 18 digits; None for anything else, a sign included."""
    bare = (text or "").strip()
    return int(bare) if re.fullmatch(r"[0-9]{1,18}", bare) else None


def cpu_set(text: str | None) -> frozenset[int] | None:
    """Read a list of CPUs as the kernel writes it, `0-3,8`; None when it is none."""
    if text is None or not re.fullmatch(r"[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*", text):
        return None
    return frozenset(cpu for span in text.split(",") for cpu in _span(span))


def cpu_list(cpus: Iterable[int]) -> str:
    """Write CPUs as the kernel lists them: `0-3,8`."""
    spans: list[tuple[int, int]] = []
    for cpu in sorted(cpus):
        begun = spans.pop()[0] if spans and spans[-1][1] == cpu - 1 else cpu
        spans.append((begun, cpu))
    return ",".join(f"{first}-{last}" if first < last else f"{first}" for first, last in spans)


def _span(span: str) -> Iterator[int]:
    first, _, last = span.partition("-")
    yield from range(int(first), int(last or first) + 1)
