"""What disks say of their own health, by `nvme` and `smartctl`, joined with the disks it is about."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain

from msgspec.structs import replace

from l0_infra.facts.board.nvme_log import parse_nvme_json, parse_nvme_text
from l0_infra.facts.board.smart import parse_smart
from l0_infra.facts.bundle import Answer, Answers, Source
from l0_infra.facts.filled import filled
from l0_infra.facts.json_value import Json, decode, dig, word
from l0_infra.schemas import Disk, DiskHealth, Unread

__all__ = ["NVME", "SMARTCTL", "health_unread", "join_health"]

ASK = files(__package__).joinpath("health.sh").read_text("utf-8")

NVME = Source(
    name="nvme-smart-log.json",
    also=("nvme*smart*log*",),
    marks=("Smart Log for NVME device",),
    program="nvme",
    command=f"{ASK}ask 'nvme*' nvme smart-log -o json",
)
SMARTCTL = Source(
    name="smartctl.json",
    also=("smartctl*.json",),
    marks=('"smartctl": {',),
    program="smartctl",
    command=f"{ASK}ask 'sd*' smartctl -j -a -n standby;"
    " command -v nvme >/dev/null || ask 'nvme*' smartctl -j -a",
)

DEVICE = re.compile(r"""^[^"{}]*?(?:/dev/|device:)([a-z]{1,8}[0-9a-z]{0,24})\b""")
"""A line that names a device before its log: `$ nvme smart-log /dev/nvme0n1`, `Smart Log for NVME device:nvme0 …`."""

MOST_DISKS = 1024
"""How many documents are read of one answer: more than a machine has disks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Log:
    """One device's log: `name` and `serial` as far as they are told."""

    name: str | None
    serial: str | None
    health: DiskHealth


def join_health(disks: Sequence[Disk], answers: Answers) -> tuple[Disk, ...]:
    """Give each disk what it says of itself; `nvme` is asked first, `smartctl` fills what is missing."""
    logs = [*_nvme_logs(answers[NVME.name].out), *_smart_logs(answers[SMARTCTL.name].out)]
    found: dict[str, DiskHealth] = {}
    for log in logs:
        for disk in _about(log, disks):
            found[disk.name] = filled(found.get(disk.name, DiskHealth()), log.health)
    return tuple(replace(disk, health=found.get(disk.name)) for disk in disks)


def health_unread(answers: Answers) -> Iterator[Unread]:
    """Yield why disks could not be asked: once for all that need more rights, and the disk that hangs by name."""
    for source, what in ((NVME, "nvme smart-log"), (SMARTCTL, "smartctl")):
        answer = answers[source.name]
        refused = [line for line in answer.err.split("\n") if line.endswith(": Permission denied")]
        if answer.end == "hung":
            last = [name for name, _ in _sections(answer.out) if name][-1:]
            yield from answer.unread(f"{what} /dev/{last[0]}" if last else what)
        elif refused:
            yield Unread(what=what, reason="denied", detail=refused[0][:200], hint="look as root")
        else:
            yield from _garbled(answer, what)


def _garbled(answer: Answer, what: str) -> Iterator[Unread]:
    said = next((text.strip() for _, text in _sections(answer.out) if text.strip()), "")
    if answer.ok and said and not any(chain(_nvme_logs(answer.out), _smart_logs(answer.out))):
        yield Unread(what=what, reason="garbled", detail=said[:200])
    yield from answer.unread(what)


def _sections(text: str) -> Iterator[tuple[str | None, str]]:
    """Take apart what is said under each device's name; None where no name was told."""
    name: str | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        match = DEVICE.match(line[:200])
        if match:
            yield name, "\n".join(lines)
            name, lines = match[1], []
        else:
            lines.append(line)
    yield name, "\n".join(lines)


def _documents(text: str) -> Iterator[Json]:
    """Read JSON documents that stand one after another, each beginning on a line of its own."""
    for part in re.split(r"^(?=\{)", text, maxsplit=MOST_DISKS, flags=re.M):
        value = decode(part) if part.startswith("{") else None
        if isinstance(value, Mapping):
            yield value


def _nvme_logs(text: str) -> Iterator[_Log]:
    for name, told in _sections(text):
        healths = [parse_nvme_json(value) for value in _documents(told)] or [parse_nvme_text(told)]
        yield from (_Log(name=name, serial=None, health=health) for health in healths if health)


def _smart_logs(text: str) -> Iterator[_Log]:
    for name, told in _sections(text):
        for value in _documents(told):
            health = parse_smart(value)
            device = word(dig(value, "device", "name")).removeprefix("/dev/")
            serial = word(dig(value, "serial_number")).strip() or None
            if health:
                yield _Log(name=device or name, serial=serial, health=health)


def _about(log: _Log, disks: Sequence[Disk]) -> Sequence[Disk]:
    """Find the disks a log is about: by serial number, by name, by controller; a nameless one by being the only one."""
    by_serial = [disk for disk in disks if log.serial and disk.serial == log.serial]
    by_name = [disk for disk in disks if disk.name == log.name]
    by_controller = [disk for disk in disks if log.name and re.fullmatch(rf"{log.name}n[0-9]+", disk.name)]
    nvme = [disk for disk in disks if disk.name.startswith("nvme")]
    only = nvme if log.name is None and len(nvme) == 1 else []
    return by_name or by_serial or by_controller or only
