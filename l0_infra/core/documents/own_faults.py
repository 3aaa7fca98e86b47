"""What types cannot say: each part's own `faults()`, of the whole document or of its sound pieces."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import msgspec
from msgspec import inspect

from l0_infra.core.documents.declare import Part
from l0_infra.core.documents.tree import Path
from l0_infra.core.errors import Fault

__all__ = ["part_faults", "sound_faults"]


def part_faults(value: object, path: Path = ()) -> Iterator[Fault]:
    """Yield the faults of every Part within `value`, with paths from the document's root."""
    if isinstance(value, Part):
        yield from (replace(fault, path=(*path, *fault.path)) for fault in value.faults())
    for step, child in _children(value):
        yield from part_faults(child, (*path, step))


def sound_faults(data: object, wanted: inspect.Type, bad: Iterable[Path], path: Path = ()) -> Iterator[Fault]:
    """Yield the faults of the largest pieces of `data` below which no path is `bad`."""
    inside = [other for other in bad if other[: len(path)] == path]
    while isinstance(wanted, inspect.Metadata):
        wanted = wanted.type
    if isinstance(wanted, inspect.UnionType):
        for member in wanted.types:
            yield from sound_faults(data, member, inside, path)
    elif isinstance(wanted, inspect.StructType) and isinstance(data, dict):
        if not inside:
            yield from _faults_if_whole(data, wanted, path)
            return
        for field in wanted.fields:
            if field.encode_name in data:
                yield from sound_faults(
                    data[field.encode_name], field.type, inside, (*path, field.encode_name)
                )
    elif isinstance(wanted, inspect.ListType | inspect.VarTupleType) and isinstance(data, list):
        for index, item in enumerate(data):
            yield from sound_faults(item, wanted.item_type, inside, (*path, index))
    elif isinstance(wanted, inspect.DictType) and isinstance(data, dict):
        for key, item in data.items():
            yield from sound_faults(item, wanted.value_type, inside, (*path, key))


def _faults_if_whole(data: object, struct: inspect.StructType, path: Path) -> Iterator[Fault]:
    try:
        whole: object = msgspec.convert(data, struct.cls)
    except msgspec.ValidationError:
        return
    yield from part_faults(whole, path)


def _children(value: object) -> Iterable[tuple[str | int, object]]:
    if isinstance(value, msgspec.Struct):
        return ((name, getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, tuple | list):
        return enumerate(value)
    return value.items() if isinstance(value, dict) else ()
