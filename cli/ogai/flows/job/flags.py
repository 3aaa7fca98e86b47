"""The flags of `ogai job submit`, each told as settings of the job document, so that both are checked alike."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from l0_infra.core.errors import UsageError
from ogai.flows.job.request import Flag

__all__ = ["FIELD_FLAGS", "FieldFlag", "Typed", "flags_of"]


@dataclass(frozen=True, slots=True)
class FieldFlag:
    """A flag whose value is one field of the document, and the word that stands for it in the help."""

    name: str
    path: str
    metavar: str


FIELD_FLAGS = (
    FieldFlag("name", "name", "NAME"),
    FieldFlag("cpus", "resources.cpus_per_task", "N"),
    FieldFlag("tasks", "resources.tasks_per_node", "N"),
    FieldFlag("memory", "resources.memory_bytes_per_node", "SIZE"),
    FieldFlag("gpus", "resources.gpus_per_node", "N"),
    FieldFlag("time", "limits.time_s", "DURATION"),
    FieldFlag("grace", "limits.grace_s", "DURATION"),
    FieldFlag("retry", "retry.limit", "N"),
    FieldFlag("backoff", "retry.backoff_s", "DURATION"),
    FieldFlag("priority", "priority", "N"),
    FieldFlag("queue", "queue", "NAME"),
    FieldFlag("directory", "directory", "PATH"),
)


class Typed(TypedDict):
    """What was typed, by the name of the flag; None, empty or false where a flag is absent."""

    name: str | None
    cpus: str | None
    tasks: str | None
    memory: str | None
    gpus: str | None
    time: str | None
    grace: str | None
    retry: str | None
    backoff: str | None
    priority: str | None
    queue: str | None
    directory: str | None
    warn: str | None
    array: str | None
    after_ok: tuple[str, ...]
    after_any: tuple[str, ...]
    after_not_ok: tuple[str, ...]
    restartable: bool
    env: tuple[str, ...]
    secret: tuple[str, ...]
    settings: tuple[str, ...]


def flags_of(typed: Typed) -> Iterator[Flag]:
    """Say what each flag stands for; `--set` comes last and wins. Raises UsageError for a bad `--env`."""
    yield from field_flags(typed)
    yield from variable_flags(typed["env"])
    if typed["warn"] is not None:
        yield warn_flag(typed["warn"])
    if typed["array"] is not None:
        yield array_flag(typed["array"])
    after = [("afterok", job) for job in typed["after_ok"]]
    after += [("afterany", job) for job in typed["after_any"]]
    after += [("afternotok", job) for job in typed["after_not_ok"]]
    if after:
        yield dependency_flag(after)
    if typed["restartable"]:
        yield Flag(typed="--restartable", settings=("retry.restartable=true",))
    if typed["secret"]:
        yield secret_flag(typed["secret"])
    yield from (Flag(typed=f"--set {setting}", settings=(setting,)) for setting in typed["settings"])


def field_flags(values: Mapping[str, object]) -> Iterator[Flag]:
    """Lay each value given into its field."""
    for flag in FIELD_FLAGS:
        value = values[flag.name]
        if isinstance(value, str):
            yield Flag(typed=f"--{flag.name}", settings=(f"{flag.path}={as_typed(value)}",))


def array_flag(value: str) -> Flag:
    """Read Slurm's `0-9%2`: indices, and how many run at once."""
    indices, percent, throttle = value.partition("%")
    most = (f"array.throttle={as_typed(throttle)}",) if percent else ()
    return Flag(typed="--array", settings=(f"array.indices={as_typed(indices)}", *most))


def warn_flag(value: str) -> Flag:
    """Read `USR1@60`: the signal, and how long before the limit it is sent."""
    name, at, before = value.partition("@")
    early = (f"limits.warn_before_s={as_typed(before)}",) if at else ()
    return Flag(typed="--warn", settings=(f"limits.warn_signal={as_typed(name.removeprefix('SIG'))}", *early))


def dependency_flag(jobs: Iterable[tuple[str, str]]) -> Flag:
    """Name the jobs to wait for: pairs of condition and id."""
    listed = [{"job": job, "condition": condition} for condition, job in jobs]
    return Flag(typed="--after", settings=(f"depends_on={json.dumps(listed)}",))


def secret_flag(names: Sequence[str]) -> Flag:
    """Name the variables whose values are taken from the environment and never shown."""
    return Flag(typed="--secret", settings=(f"secrets={json.dumps(names)}",))


def variable_flags(variables: Sequence[str]) -> Iterator[Flag]:
    """Read `NAME=value` pairs. Raises UsageError for anything else."""
    for variable in variables:
        name, equals, value = variable.partition("=")
        if not (equals and name.isidentifier() and name.isascii()):
            raise UsageError(
                "--env",
                found=f"`{variable}`",
                expected="NAME=value, the name in letters, digits and underscores",
                hint="the variables of this shell are passed on anyway" if not equals else "",
            )
        yield Flag(typed="--env", settings=(f"environment.{name}={json.dumps(value, ensure_ascii=False)}",))


def as_typed(value: str) -> str:
    """Keep a value from being read as YAML: only `--set` takes lists, mappings and, by saying nothing, null."""
    quoted = not value.strip() or value[0] in "[{'\""
    return json.dumps(value, ensure_ascii=False) if quoted else value
