"""What a kind of break is."""

from collections.abc import Callable
from dataclasses import dataclass

from l1_podsys.lab.breaks.handle import HostHandle

__all__ = ["Break"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Break:
    """One way to break a host; both ways may be gone twice, and `shows` looks at the host itself."""

    name: str
    help: str
    breaks: Callable[[HostHandle], None]
    heal: Callable[[HostHandle], None]
    shows: Callable[[HostHandle], bool]
