"""Whether a condition holds of something: yes, no, or not to be known."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from l0_infra.inspection.fields import Subject
from l0_infra.schemas import Expectation

__all__ = ["holds"]


def holds(condition: Expectation, subject: Subject) -> bool | None:
    """Judge one condition; None when a field it needs is unknown."""
    value = subject.value(condition.field)
    name = next(name for name in JUDGES if getattr(condition, name) is not None)
    wanted = getattr(condition, name)
    if name in BY_FIELD:
        wanted = subject.value(wanted)
    if value is None or wanted is None:
        return None
    return JUDGES[name](value, wanted)


def _word(value: object) -> str:
    return str(value).lower()


def _one_of(value: object, wanted: tuple[str, ...]) -> bool:
    return _word(value) in map(_word, wanted)


def _none_of(value: object, unwanted: tuple[str, ...]) -> bool:
    words = set(map(_word, value)) if isinstance(value, tuple) else {_word(value)}
    return words.isdisjoint(map(_word, unwanted))


JUDGES: Mapping[str, Callable[..., bool]] = MappingProxyType(
    {
        "equals": lambda value, wanted: _word(value) == _word(wanted),
        "one_of": _one_of,
        "none_of": _none_of,
        "is_true": lambda value, wanted: value is wanted,
        "is_empty": lambda value, wanted: (len(value) == 0) is wanted,
        "at_least": lambda value, wanted: value >= wanted,
        "at_most": lambda value, wanted: value <= wanted,
        "same_as": lambda value, wanted: value == wanted,
        "no_more_than": lambda value, wanted: value <= wanted,
    }
)

BY_FIELD = frozenset(("same_as", "no_more_than"))
"""Those whose operand is itself a field."""
