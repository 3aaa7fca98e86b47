"""How far foretold numbers are off measured ones, as one line of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

HEADING = (
    f"{'data set':<44}{'rows':>5}{'MAPE':>8}{'median':>8}{'worst':>8}{'bias':>8}  others on the same rows"
)


@dataclass(frozen=True)
class Score:
    """Errors are foretold over measured, less 1."""

    name: str
    errors: Sequence[float]
    others: str = ""

    def line(self) -> str:
        """The score in per cent; worst with its sign."""
        if not self.errors:
            return f"{self.name:<44}{0:>5}"
        sizes = [abs(error) for error in self.errors]
        numbers = (fmean(sizes), median(sizes), max(self.errors, key=abs), fmean(self.errors))
        return (
            f"{self.name:<44}{len(sizes):>5}"
            + "".join(f"{100 * n:>8.2f}" for n in numbers)
            + f"  {self.others}"
        )
