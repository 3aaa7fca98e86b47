"""What a kind of break is."""

from collections.abc import Callable
from dataclasses import dataclass

from l1_podsys.lab.breaks.at import At

__all__ = ["Kind"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One way to break a host; both ways may be gone twice, and `shows` looks at the host itself."""

    name: str
    help: str
    breaks: Callable[[At], None]
    heal: Callable[[At], None]
    shows: Callable[[At], bool]
