"""From words of a command line to the problem that is planned: model, batch, machine, what is decided already."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l0_infra.core.units import format_bytes, parse_bytes
from l0_infra.schemas import Device
from l3_modeltools import (
    PRESETS,
    Decided,
    Limits,
    Problem,
    limits_of,
    load_calibration,
    machine_like,
    practice_of,
    preset,
)
from l3_modeltools.schemas import Architecture, Calibration, Machine, Practice
from ogai.flows.device import show
from ogai.flows.train.resolve import read_config

__all__ = ["Asked", "problem_of"]

SHORT: Mapping[str, str] = {
    "mbs": "micro_batch_size",
    "micro_batch": "micro_batch_size",
    "zero": "zero_stage",
    "sp": "sequence_parallel",
}
NUMBERS = ("dp", "tp", "pp", "vp", "cp", "ep", "micro_batch_size", "zero_stage")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "schedule": ("1f1b", "interleaved", "zero_bubble"),
    "recompute": ("none", "selective", "full"),
}
DECISIONS = ("sequence_parallel", "vocab_parallel")
TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a person gave: `machine` a document, or `devices` and `device`."""

    model: str
    sequence_length: int
    global_batch_size: int
    machine: Path | None = None
    devices: int | None = None
    device: str | None = None
    devices_per_node: int = 8
    port_gbit_s: float | None = None
    price: float | None = None
    """Of a device and an hour."""
    framework: str | None = None
    decided: tuple[str, ...] = ()
    """Like `tp=8`."""
    calibration: Path | None = None
    headroom: str = "0%"
    """Memory of each accelerator to keep free: a share or a size."""


def problem_of(asked: Asked) -> Problem:
    """Read everything. Raises UsageError for words that make no problem, UnsatisfiableError for an unknown model."""
    machine, device = machine_of(asked)
    return Problem(
        architecture=architecture_of(asked.model),
        sequence_length=asked.sequence_length,
        global_batch_size=asked.global_batch_size,
        practice=practice_of(practice_name(asked.framework)) if asked.framework else Practice(),
        machine=machine,
        device=device,
        calibration=calibration_of(asked.calibration),
        limits=limits_of(asked.framework) if asked.framework else Limits(),
        decided=decided_of(asked.decided),
        headroom_bytes=headroom_of(asked.headroom, device),
    )


def headroom_of(text: str, device: Device) -> int:
    """Bytes of `3%` of a device's memory, or of `2GiB`. Raises UsageError for neither, and for all of it."""
    share = re.fullmatch(r"([0-9]{1,2}(?:\.[0-9]{1,6})?) ?%", text.strip(), re.ASCII)
    try:
        size = int(float(share[1]) / 100 * device.memory_bytes) if share else parse_bytes(text)
    except UsageError as error:
        raise UsageError("--headroom", found=f"`{text}`", expected="a share or a size: 3%, 2 GiB") from error
    if size >= device.memory_bytes:
        raise UsageError(
            "--headroom",
            found=f"`{text}`",
            expected=f"less than the {format_bytes(device.memory_bytes)} of a `{device.name}`",
        )
    return size


def practice_name(framework: str) -> str:
    """The framework whose habits are meant: both of MindFormers compute alike."""
    return framework.removesuffix("-2").removesuffix("-toml")


def calibration_of(file: Path | None) -> Calibration:
    """Figures of a file, or the published ones."""
    return load_calibration() if file is None else read_document(file, expect=Calibration)


def architecture_of(model: str) -> Architecture:
    """A preset's, or that of an `architecture` document or a config.json."""
    path = Path(model)
    if model in PRESETS or not path.exists():
        return preset(model)
    if path.suffix in (".yaml", ".yml"):
        return read_document(path, expect=Architecture)
    return read_config(path)


def machine_of(asked: Asked) -> tuple[Machine, Device]:
    """The machine of a document, or nodes of so many accelerators with a network port each."""
    if asked.machine is not None:
        if asked.devices or asked.device:
            raise UsageError("--machine", found="`--devices` or `--device` too", expected="one of both")
        machine = read_document(asked.machine, expect=Machine)
        return machine, show(machine.device)
    if not asked.devices or not asked.device:
        raise UsageError(
            "the machine",
            found="neither a document nor its size",
            expected="--machine FILE, or --devices and --device",
        )
    return made_of(asked, asked.devices, show(asked.device))


def made_of(asked: Asked, devices: int, device: Device) -> tuple[Machine, Device]:
    """Like nodes, as many as the accelerators need."""
    node = min(asked.devices_per_node, devices)
    if devices % node:
        raise UsageError(
            "--devices", found=f"{devices}", expected=f"whole nodes of {node}", hint="--devices-per-node"
        )
    port = asked.port_gbit_s * 1e9 / 8 if asked.port_gbit_s else None
    machine = machine_like(device, devices, name=f"{devices}-{device.name}", per_node=node, port=port)
    return replace(machine, price_per_device_hour=asked.price), device


def decided_of(words: Sequence[str]) -> Decided:
    """Read `tp=8,pp=16`. Raises UsageError for a name or a value that cannot be decided."""
    found: dict[str, Any] = {}
    for word in (part.strip() for one in words for part in one.split(",") if part.strip()):
        name, _, value = word.partition("=")
        name = SHORT.get(name, name)
        found[name] = _value(name, value)
    return Decided(**found)


def _value(name: str, value: str) -> int | bool | str:
    if name in NUMBERS and value.isdecimal() and (name == "zero_stage" or int(value) > 0):
        return int(value)
    if name in DECISIONS and value in TRUTH:
        return TRUTH[value]
    if value in CHOICES.get(name, ()):
        return value
    names = (*NUMBERS, *DECISIONS, *CHOICES)
    expected = (
        f"one of {', '.join(CHOICES[name])}" if name in CHOICES else "a number" if name in NUMBERS else ""
    )
    raise UsageError(
        "--fix",
        found=f"`{name}={value}`",
        expected=expected or f"names among {', '.join(names)}",
        hint="like --fix tp=8,pp=16,recompute=full",
    )
