"""The fields of a config.json one by one: of the right type, or an error that names the field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeVar

import msgspec

from l0_infra.core.errors import DocumentError, Fault, UnsatisfiableError

__all__ = ["HfConfig", "read_config"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class HfConfig:
    """A mapping of config.json; a field that is left out has the default that `transformers` gives it."""

    where: str
    fields: Mapping[str, object]

    def integer(self, name: str, default: int | None = None) -> int:
        """A positive integer."""
        value = self._typed(name, default, int, "an integer of 1 or more")
        return value if value >= 1 else self._bad(name, value, "an integer of 1 or more")

    def count(self, name: str, default: int) -> int:
        """An integer of 0 or more."""
        value = self._typed(name, default, int, "an integer of 0 or more")
        return value if value >= 0 else self._bad(name, value, "an integer of 0 or more")

    def optional(self, name: str, default: int | None = None) -> int | None:
        """A positive integer, or null."""
        if self.fields.get(name, default) is None:
            return None
        return self.integer(name, default)

    def number(self, name: str, default: float | None = None) -> float:
        """A number above 0."""
        value = self.fields.get(name, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            self._bad(name, value, "a number above 0")
        return float(value)

    def optional_number(self, name: str) -> float | None:
        """A number above 0, or null."""
        return None if self.fields.get(name) is None else self.number(name)

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        return self._typed(name, default, bool, "true or false")

    def choice(self, name: str, default: str, known: Mapping[str, T]) -> T:
        """One of the `known` texts, as what it means; UnsatisfiableError for another."""
        value = self.fields.get(name, default)
        if not isinstance(value, str) or value not in known:
            self.unsupported(name, value, " or ".join(f"`{text}`" for text in known))
        return known[value]

    def expect(self, name: str, *allowed: object) -> None:
        """Let a field pass that is left out or has an `allowed` value; UnsatisfiableError for another."""
        if name in self.fields and self.fields[name] not in allowed:
            self.unsupported(name, self.fields[name], " or ".join(f"`{value}`" for value in allowed))

    def part(self, name: str) -> "HfConfig | None":
        """A mapping within, or None where there is none."""
        value = self.fields.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            self._bad(name, value, "a mapping")
        return HfConfig(where=f"{self.where}: {name}", fields=value)

    def unsupported(self, name: str, found: object, expected: str) -> NoReturn:
        """Refuse a model that an `architecture` cannot say."""
        raise UnsatisfiableError(
            f"{self.where}: {name}",
            found=f"`{found}`",
            expected=expected,
            hint="another value makes a model that ogai does not know; train it with `framework: command`",
        )

    def _typed(self, name: str, default: T | None, kind: type[T], expected: str) -> T:
        value = self.fields.get(name, default)
        if type(value) is not kind:
            self._bad(name, value, expected)
        return value

    def _bad(self, name: str, found: object, expected: str) -> NoReturn:
        missing = name not in self.fields
        shown = f"no `{name}`" if missing else f"`{found}`"
        fault = Fault(path=(name,), found=shown, expected=expected, where=f"{self.where}: {name}")
        raise DocumentError(self.where, [fault])


def read_config(text: str, where: str) -> HfConfig:
    """Take a config.json apart; DocumentError for what is no JSON object."""
    try:
        return HfConfig(where=where, fields=msgspec.json.decode(text, type=dict[str, object]))
    except msgspec.DecodeError as error:
        fault = Fault(path=(), found=f"no JSON object ({error})", expected="a config.json", where=where)
        raise DocumentError(where, [fault]) from error
