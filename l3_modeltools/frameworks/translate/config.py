"""A framework's configuration, whatever its syntax: values by name, each with where it stands."""

from collections.abc import Mapping
from dataclasses import dataclass

from l0_infra.core.errors import Fault
from l3_modeltools.schemas import Architecture

__all__ = ["BadValue", "Config", "Found", "Value"]

LARGEST = 1_000_000_000
"""No number that says something of the cut is larger."""

Value = bool | int | float | str | None | tuple["Value", ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A value and where it stands: `file:line:column`, or which argument."""

    value: Value
    where: str


class BadValue(Exception):
    """A value that cannot be meant; holds the fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    """What is read from, and what was known before: the model, and how many ranks there are."""

    source: str
    values: Mapping[str, Found]
    architecture: Architecture | None = None
    world_size: int | None = None

    def has(self, name: str) -> bool:
        """Whether it says anything but null."""
        return name in self.values and self.values[name].value is not None

    def value(self, name: str) -> Value:
        """The value as it stands; None when there is none."""
        return self.values[name].value if name in self.values else None

    def below(self, name: str) -> dict[str, Value]:
        """The values of a section, by what follows its name."""
        return {
            key.removeprefix(f"{name}."): found.value
            for key, found in self.values.items()
            if key.startswith(f"{name}.")
        }

    def integer(self, name: str, default: int | None = None) -> int | None:
        """A whole number. Raises BadValue for anything else."""
        value = self.value(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.bad(name, "a whole number")
        if abs(value) > LARGEST:
            raise self.bad(name, f"a whole number of at most {LARGEST:,}")
        return value

    def count(self, name: str, default: int) -> int:
        """A whole number of 1 or more. Raises BadValue for anything else."""
        number = self.integer(name, default)
        if number is None or number < 1:
            raise self.bad(name, "a whole number of 1 or more")
        return number

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True or false. Raises BadValue for anything else."""
        value = self.value(name)
        if value is None:
            return default
        if isinstance(value, str) and value.casefold() in ("true", "false"):
            return value.casefold() == "true"
        if not isinstance(value, bool):
            raise self.bad(name, "true or false")
        return value

    def word(self, name: str, choices: Mapping[str, str], default: str) -> str:
        """What one of some words means, however it is spelled. Raises BadValue for others."""
        value = self.value(name)
        if value is None:
            return default
        spelled = str(value).casefold()
        if spelled not in choices:
            raise self.bad(name, f"one of {', '.join(f'`{word}`' for word in choices)}")
        return choices[spelled]

    def bad(self, name: str, expected: str, *, hint: str = "", found: str = "") -> BadValue:
        """The fault of a value, to be raised."""
        where = self.values[name].where if name in self.values else self.source
        if str(self.value(name)).startswith("$"):
            hint = "a variable of the shell: write its value"
        shown = found or f"`{name}` {_shown(self.value(name))}"
        return BadValue(Fault(path=(name,), found=shown, expected=expected, hint=hint, where=where))


def _shown(value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)
