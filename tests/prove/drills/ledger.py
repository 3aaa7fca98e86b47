"""What a proof did, checked and found violated so far."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Ledger"]


@dataclass
class Ledger:
    """What was done, checked and violated so far."""

    done: Counter[str] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def check(self, what: str, found: Sequence[str], *, times: int = 1) -> None:
        """Note that something was checked so many times, and what did not hold."""
        self.checked[what] += times
        self.violations += [f"{what}: {text}" for text in found]
