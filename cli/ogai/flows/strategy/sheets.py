"""Which data sheet is meant by the name of an accelerator in a table of runs, such as `A100-80GB`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from l0_infra import load_devices
from l0_infra.core.errors import UsageError
from l0_infra.schemas import Device

__all__ = ["sheets_for"]

FORMS = ("sxm", "pcie", "nvl")
"""Modules and cards; a module where a name does not tell."""

NEAR = 0.1
"""How far a memory that is told may be from the sheet's: 192 GB of a B200 are 180 for whoever uses it."""


def sheets_for(names: Iterable[str]) -> dict[str, Device]:
    """Find the sheet of each name. Raises UsageError for one that no sheet, or several, may be meant by."""
    return {name: _sheet(name) for name in sorted(set(names))}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Told:
    """What a name says: words, among them the form and the memory in GB where they are told."""

    words: tuple[str, ...]
    form: str | None
    memory: int | None

    @classmethod
    def of(cls, name: str) -> "_Told":
        """Take a name apart: `A100-SXM4-80GB`, `NVIDIA H100 80GB HBM3`, `Ascend910B2`."""
        text = re.sub(r"\bascend(?=\d)", "ascend ", name.casefold())
        words = tuple(re.sub(r"^(sxm|nvl)\d*$", r"\1", word) for word in re.findall(r"[a-z0-9]+", text))
        sizes = [int(found[1]) for word in words if (found := re.fullmatch(r"(\d{2,3})(gb|gib)?", word))]
        return cls(
            words=words,
            form=next((word for word in words if word in FORMS), None),
            memory=sizes[0] if sizes else None,
        )


def _sheet(name: str) -> Device:
    """Take the sheet of that name, or the one of that model, form and memory."""
    devices, told = load_devices(), _Told.of(name)
    if exact := [one for one in devices if one.name == name.casefold()]:
        return exact[0]
    of_model = [one for one in devices if _model(one) in told.words]
    if not of_model:  # a family: 910B
        of_model = [one for one in devices if any(_is_family(word, _model(one)) for word in told.words)]
    fitting = _of_memory(_of_form(of_model, told), told)
    if len(fitting) == 1:
        return fitting[0]
    raise UsageError(
        f"the accelerator `{name}`",
        found=f"several data sheets: {', '.join(one.name for one in fitting)}"
        if fitting
        else "no such data sheet",
        expected="a name that `ogai device list` shows, in the column `gpu`",
    )


def _parts(device: Device) -> list[str]:
    """Name without the brand: `910b4`, `64`."""
    return [re.sub(r"^(sxm|nvl)\d*$", r"\1", part) for part in device.name.split("-") if part != "ascend"]


def _model(device: Device) -> str:
    return _parts(device)[0]


def _is_family(word: str, model: str) -> bool:
    return bool(re.fullmatch(r"\d{3}[a-z]", word)) and model.startswith(word)


def _of_form(devices: Sequence[Device], told: _Told) -> Sequence[Device]:
    """Those of the form that is told, else modules rather than cards; a model of one form is that one."""
    forms = (told.form,) if told.form else FORMS
    known = [one for one in devices if any(part in FORMS for part in _parts(one))]
    if not known:
        return devices
    return next((found for form in forms if (found := [one for one in known if form in _parts(one)])), [])


def _of_memory(devices: Sequence[Device], told: _Told) -> Sequence[Device]:
    """Those of the memory that is told, else those whose memory the vendor tells rather than others."""
    if told.memory is None:
        own = [one for one in devices if not _hearsay(one)]
        return own or devices
    exact = [one for one in devices if str(told.memory) in _parts(one)]
    return exact or [one for one in devices if abs(one.memory_bytes / 2**30 / told.memory - 1) < NEAR]


def _hearsay(device: Device) -> bool:
    return all(source.secondary for source in device.sources if "memory" in source.subjects)
