"""The checks that several of this layer's documents make: repetitions, and names of nothing."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from l0_infra.core.errors import Fault

__all__ = ["Path", "repeated", "unknown"]

Path = tuple[str | int, ...]


def repeated(field: str, key: str, values: Sequence[str]) -> Iterator[Fault]:
    """Yield each value of `key` that an earlier entry of the list `field` has too."""
    first: dict[str, int] = {}
    for index, value in enumerate(values):
        if first.setdefault(value, index) != index:
            found = f"`{value}`, already that of {field}[{first[value]}]"
            yield Fault(path=(field, index, key), found=found, expected=f"a unique {key}")


def unknown(path: Path, name: str, known: Sequence[str], *, what: str) -> Iterator[Fault]:
    """Yield a `name` at `path` that is none of the `known` ones, with the nearest."""
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean `{near[0]}`?" if near else ""
        yield Fault(path=path, found=f"`{name}`", expected=what, hint=hint)
