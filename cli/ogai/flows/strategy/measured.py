"""Runs of one's own as a table of measured runs, for `score` and `calibrate`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from l3_modeltools import Measured, measured_row, unmeasured_because, write_rows
from ogai.flows.train.runs import find, metrics, poll

__all__ = ["MeasuredTable", "measured"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredTable:
    """The table as CSV, and why runs are not in it, by their ids."""

    csv: str
    runs: int
    left_out: tuple[tuple[str, str], ...]


def measured(references: Sequence[str] = ()) -> MeasuredTable:
    """Make a table of the runs that are meant, or of all. Raises UsageError with the nearest names."""
    meant = dict.fromkeys(references) or [run.run_id for run in reversed(poll())]
    known = [Measured(run=find(name), metrics=metrics(name)) for name in meant]
    left_out = tuple(_left_out(known))
    out = {run_id for run_id, _ in left_out}
    rows = [measured_row(one) for one in known if one.run.run_id not in out]
    return MeasuredTable(csv=write_rows(rows), runs=len(rows), left_out=left_out)


def _left_out(known: Sequence[Measured]) -> Iterator[tuple[str, str]]:
    for one in known:
        if (why := unmeasured_because(one.run, one.metrics)) is not None:
            yield one.run.run_id, why
