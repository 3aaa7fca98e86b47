"""Published tables of the faults of real runs, kept as data with their source."""

from functools import cache
from importlib.resources import files

import msgspec

__all__ = ["FaultCause", "FaultTable", "llama3_table", "scaled_mtbf_s"]

DAY_S = 86400.0


class FaultCause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often one component interrupted the run."""

    component: str
    category: str
    count: int


class FaultTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The unexpected interruptions of a run on so many accelerators within so many days."""

    name: str
    source: str
    note: str
    days: int
    accelerators: int
    accelerator: str
    causes: tuple[FaultCause, ...]

    @property
    def count(self) -> int:
        """All interruptions."""
        return sum(cause.count for cause in self.causes)

    @property
    def seconds(self) -> float:
        """How long it was looked at."""
        return self.days * DAY_S

    @property
    def mtbf_s(self) -> float:
        """Mean time between two of them."""
        return self.seconds / self.count


@cache
def llama3_table() -> FaultTable:
    """Return table 5 of arXiv:2407.21783."""
    data = files(__package__).joinpath("llama3.json").read_bytes()
    return msgspec.json.decode(data, type=FaultTable)


def scaled_mtbf_s(accelerators: int) -> float:
    """Return the mean time between faults of so many accelerators at Llama 3's rate: 50,677 hours for one."""
    table = llama3_table()
    return table.mtbf_s * table.accelerators / accelerators
