"""The checks that many documents make in their `faults()`: repetitions, names of nothing, faults of a part."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from l0_infra.core.documents.hints import nearest
from l0_infra.core.errors import Fault, FieldPath

__all__ = ["below", "repeated", "unknown"]


def below(path: FieldPath, faults: Iterable[Fault]) -> Iterator[Fault]:
    """Move the faults of a part to where the part stands."""
    for fault in faults:
        yield replace(fault, path=(*path, *fault.path))


def repeated(field: str, key: str, values: Iterable[str | int | None]) -> Iterator[Fault]:
    """Yield each value of `key` that an earlier entry of the list `field` has too; None is no value."""
    first: dict[str | int, int] = {}
    for index, value in enumerate(values):
        if value is not None and first.setdefault(value, index) != index:
            found = f"`{value}`, already that of {field}[{first[value]}]"
            yield Fault(path=(field, index, key), found=found, expected=f"a unique {key}")


def unknown(path: FieldPath, name: str, known: Sequence[str], *, what: str) -> Iterator[Fault]:
    """Yield a `name` at `path` that is none of the `known` ones, with the nearest."""
    if name not in known:
        yield Fault(path=path, found=f"`{name}`", expected=what, hint=nearest(name, known))
