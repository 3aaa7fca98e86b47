"""How often operators run, how much they compute and how much they exchange."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from l3_modeltools.training.dryrun.report import OperatorCount, Traffic

__all__ = ["Route", "Tally"]

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Route:
    """A kind of exchange within a group."""

    kind: str
    group: str
    ranks: int


@dataclass(slots=True)
class Tally:
    """Sums that add up over the actions of a step."""

    operators: Counter[str] = field(default_factory=Counter)
    flops: int = 0
    calls: Counter[Route] = field(default_factory=Counter)
    bytes: Counter[Route] = field(default_factory=Counter)

    def exchange(self, route: Route, size: int) -> None:
        """Count a message."""
        self.calls[route] += 1
        self.bytes[route] += size

    def add(self, other: "Tally", times: int) -> None:
        """Count all that another did, so many times."""
        self.flops += other.flops * times
        _add(self.operators, other.operators, times)
        _add(self.calls, other.calls, times)
        _add(self.bytes, other.bytes, times)

    def counts(self) -> tuple[OperatorCount, ...]:
        """Operators, the most frequent first."""
        found = sorted(self.operators.items(), key=lambda item: (-item[1], item[0]))
        return tuple(OperatorCount(name=name, calls=calls) for name, calls in found)

    def traffic(self) -> tuple[Traffic, ...]:
        """Exchanges, the largest first."""
        found = sorted(self.calls, key=lambda route: (-self.bytes[route], route.kind, route.group))
        return tuple(
            Traffic(
                kind=route.kind,
                group=route.group,
                ranks=route.ranks,
                calls=self.calls[route],
                bytes=self.bytes[route],
            )
            for route in found
        )


def _add(mine: Counter[Key], its: Mapping[Key, int], times: int) -> None:
    for key, count in its.items():
        mine[key] += count * times
