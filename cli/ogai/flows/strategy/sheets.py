"""Which data sheet is meant by the name of an accelerator in a table of runs, such as `A100-80GB`."""

import re
from collections.abc import Iterable, Sequence

from l0_infra import load_devices
from l0_infra.core.errors import UsageError
from l0_infra.schemas import Device

__all__ = ["sheets_for"]


def sheets_for(names: Iterable[str]) -> dict[str, Device]:
    """Find the sheet of each name. Raises UsageError for one that no sheet, or several, may be meant by."""
    return {name: _sheet(name) for name in sorted(set(names))}


def _sheet(name: str) -> Device:
    """Take the sheet of that name, or the one of that model and memory; a module rather than a card."""
    devices = load_devices()
    words = _words(name)
    exact = [one for one in devices if one.name == name.casefold()]
    fitting = exact or [one for one in devices if _fits(one.name.split("-"), words)]
    modules = [one for one in fitting if "sxm" in one.name] or fitting
    if len(modules) == 1:
        return modules[0]
    raise UsageError(
        f"the accelerator `{name}`",
        found=f"several data sheets: {', '.join(one.name for one in modules)}"
        if modules
        else "no such data sheet",
        expected="a name that `ogai device list` shows, in the column `gpu`",
    )


def _fits(sheet: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the model is named, and the memory where any is."""
    told = [word for word in words if word.isdigit()]
    return sheet[0] in words and (not told or sheet[-1] in told)


def _words(name: str) -> list[str]:
    return re.sub(r"(\d)gb\b", r"\1", name.casefold()).replace("-", " ").split()
