"""Reads and writes any framework's configuration by its table; what does not survive both ways is a loss."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from operator import attrgetter

import msgspec

from l0_infra.core.documents import below
from l0_infra.core.errors import DocumentError, Fault
from l3_modeltools.frameworks.practices import practice_of
from l3_modeltools.frameworks.runnable import require_runnable
from l3_modeltools.frameworks.translate.canonical import canonical
from l3_modeltools.frameworks.translate.config import BadValue, Config, Found, Value
from l3_modeltools.frameworks.translate.face import Exported, Imported, Loss
from l3_modeltools.frameworks.translate.table import Names, Table
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.schemas import Architecture, Practice, Strategy, Workload, cut_faults

__all__ = ["read_with", "write_with"]

SAID = "workload", "practice"

MOST_LAYERS, MOST_RANKS = 10_000, 1_000_000
"""What documents hold at most: layers of a model, and with them stages; ranks of a degree."""

REFUSED = re.compile(r"Expected (.+?) - at `\$\.?([\w.]*)")
"""How msgspec tells of a value out of bounds, and where."""


def write_with(table: Table, told: Told) -> Exported:
    """Write a strategy, read it again, and name every field that came back different.

    Raises UnsatisfiableError, naming the degree, for a strategy that the framework cannot run.
    """
    require_runnable(table.framework, told.strategy, told.microbatches)
    written: dict[str, Value] = {}
    for row in table.rows:
        written.update(row.write(told))
    rendered = table.render({name: value for name, value in written.items() if value is not None})
    again = _read_again(table, told, written)
    return Exported(
        framework=table.framework,
        ranks=told.strategy.degrees.world_size,
        files={} if isinstance(rendered, tuple) else rendered,
        argv=rendered if isinstance(rendered, tuple) else (),
        losses=tuple(_differences(table, told, again)),
    )


def read_with(table: Table, config: Config) -> Imported:
    """Read a configuration. Raises DocumentError with all that cannot be meant."""
    said = _read(table, config)
    _compare_layers(table, config)
    strategy = _strategy(table, config, said)
    length, batch = _count(said, "workload.sequence_length"), _count(said, "workload.global_batch_size")
    if config.architecture and length and batch:
        workload = Workload(architecture=config.architecture, sequence_length=length, global_batch_size=batch)
        strategy = msgspec.structs.replace(strategy, workload=workload)
    _check(table, config, strategy, length)
    return Imported(
        framework=table.framework,
        strategy=strategy,
        practice=_practice(practice_of(table.practice), said),
        layers=table.layers(config),
        sequence_length=length,
        global_batch_size=batch,
        architecture=config.architecture,
        losses=_beyond(table, config),
        unknown=_unknown(table, config),
    )


def _read(table: Table, config: Config) -> dict[str, object]:
    """What each row says. Degrees come first, for others make tables of as many numbers as there are stages."""
    faults: list[Fault] = []
    said: dict[str, object] = {}
    for of_degrees in (True, False):
        for row in (row for row in table.rows if row.path.startswith("degrees.") == of_degrees):
            try:
                said[row.path] = row.read(config)
            except BadValue as bad:
                faults.append(bad.fault)
        if of_degrees:
            _bound(table, config, said)
    if faults:
        raise DocumentError(config.source, _once(faults))
    return said


def _bound(table: Table, config: Config, said: Mapping[str, object]) -> None:
    """Raise DocumentError for more ranks, stages or layers than any document holds."""
    faults = []
    for path, value in said.items():
        if isinstance(value, int) and value > MOST_RANKS:
            field = tuple(path.split("."))
            faults.append(Fault(path=field, found=f"{field[-1]} {value}", expected=f"at most {MOST_RANKS:,}"))
    pp, vp = _count(said, "degrees.pp") or 1, _count(said, "degrees.vp") or 1
    if pp * vp > MOST_LAYERS:
        found, expected = f"pp {pp} · vp {vp} = {pp * vp} stages", f"at most {MOST_LAYERS:,}"
        faults.append(Fault(path=("degrees", "pp"), found=found, expected=expected))
    try:
        layers = table.layers(config)
    except BadValue:
        layers = None  # told where a row reads it
    if layers is not None and not 1 <= layers <= MOST_LAYERS:
        found = f"{layers} layers"
        faults.append(Fault(path=("pipeline", "offset"), found=found, expected=f"from 1 to {MOST_LAYERS:,}"))
    _raise(table, config, iter(faults))


def _read_again(table: Table, told: Told, written: Names) -> Imported:
    values = {name: Found(value=value, where="") for name, value in written.items() if value is not None}
    config = Config(
        source="what was written",
        values=values,
        architecture=told.architecture,
        world_size=told.strategy.degrees.world_size,
    )
    return read_with(table, config)


def _strategy(table: Table, config: Config, said: Mapping[str, object]) -> Strategy:
    """Build the strategy; a fault of its own is told where the framework's field stands."""
    plain: dict[str, object] = {"kind": "strategy"}
    parts: dict[str, dict[str, object]] = {}
    for path, value in said.items():
        part, _, field = path.rpartition(".")
        if value is not None and part not in SAID:
            (parts.setdefault(part, {}) if part else plain)[field] = value
    try:
        strategy = msgspec.convert(plain | parts, Strategy)
    except msgspec.ValidationError as error:
        _raise(table, config, iter([_refused(error)]))
        raise
    own = below(("degrees",), strategy.degrees.faults()), below(("recompute",), strategy.recompute.faults())
    _raise(table, config, chain(*own, strategy.faults()))
    return strategy


def _refused(error: msgspec.ValidationError) -> Fault:
    """What a document of ours does not hold, as a fault of the strategy."""
    told = REFUSED.match(str(error))
    expected, path = (told[1], told[2]) if told else (str(error), "")
    for word, ours in (("`int`", "whole numbers"), ("<=", "of at most"), (">=", "of at least")):
        expected = expected.replace(word, ours)
    return Fault(path=tuple(path.split(".")), found=f"a value of {path} out of its bounds", expected=expected)


def _check(table: Table, config: Config, strategy: Strategy, length: int | None) -> None:
    architecture = config.architecture
    if architecture is None:
        return
    whole = length or architecture.max_position_embeddings
    known = strategy.faults() if strategy.workload else cut_faults(strategy, architecture, whole)
    _raise(table, config, known)


def _compare_layers(table: Table, config: Config) -> None:
    """Raise DocumentError for a model whose layers are not those that the configuration counts."""
    try:
        told = table.layers(replace(config, architecture=None))
    except BadValue as bad:  # no row has read it, for other fields say what stages hold
        raise DocumentError(config.source, [bad.fault]) from None
    if config.architecture and told and told != config.architecture.layers:
        found = f"{told} layers, but {config.architecture.layers} of `{config.architecture.name}`"
        fault = Fault(path=(), found=found, expected="the model that it is for", where=config.source)
        raise DocumentError(config.source, [fault])


def _raise(table: Table, config: Config, faults: Iterator[Fault]) -> None:
    placed = [replace(fault, where=_where(table, config, fault)) for fault in faults]
    if placed:
        raise DocumentError(config.source, _once(placed))


def _where(table: Table, config: Config, fault: Fault) -> str:
    """Where the first of the framework's fields stands that a path of the strategy is read from."""
    words = [step for step in fault.path if isinstance(step, str)]
    for row in table.rows:
        if row.path == ".".join(words):
            for name in row.names:
                if name in config.values:
                    return f"{config.values[name].where} ({name})"
    return config.source


def _once(faults: list[Fault]) -> list[Fault]:
    return list(dict.fromkeys(faults))


def _count(said: Mapping[str, object], path: str) -> int | None:
    value = said.get(path)
    return value if isinstance(value, int) else None


def _practice(practice: Practice, said: Mapping[str, object]) -> Practice:
    changed = {
        path.removeprefix("practice."): value
        for path, value in said.items()
        if path.startswith("practice.") and value is not None
    }
    return msgspec.convert(msgspec.to_builtins(practice) | changed, Practice)


def _beyond(table: Table, config: Config) -> tuple[Loss, ...]:
    try:
        told = [one for one in table.beyond if one.when(config)]
    except BadValue as bad:
        raise DocumentError(config.source, [bad.fault]) from None
    places = {name: found.where for name, found in config.values.items()}
    return tuple(
        Loss(path=one.name, lost=one.lost, instead=one.instead, where=places.get(one.name, ""))
        for one in told
    )


def _unknown(table: Table, config: Config) -> tuple[str, ...]:
    known = (
        table.aside | {name for row in table.rows for name in row.names} | {one.name for one in table.beyond}
    )
    return tuple(
        name for name in config.values if not any(name == one or name.startswith(f"{one}.") for one in known)
    )


def _differences(table: Table, told: Told, again: Imported) -> Iterator[Loss]:
    """Name every field that came back with another meaning."""
    architecture: Architecture | None = told.architecture
    layers = architecture.layers if architecture else None
    ours, theirs = canonical(told.strategy, layers), canonical(again.strategy, layers)
    for row in table.rows:
        if row.path.startswith("practice."):
            continue
        if row.path.startswith("workload."):
            field = row.path.removeprefix("workload.")
            wanted, got = getattr(told, field), getattr(again, field)
        else:
            wanted, got = attrgetter(row.path)(ours), attrgetter(row.path)(theirs)
        if (wanted is not None and wanted != got) or (wanted is None and got is not None and _ours(row.path)):
            reason = table.reasons.get(row.path, "it has no field for this")
            yield Loss(path=row.path, lost=_text(wanted), instead=f"{_text(got)}: {reason}")


def _ours(path: str) -> bool:
    return path.partition(".")[0] not in SAID


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_text, value)) + "]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
