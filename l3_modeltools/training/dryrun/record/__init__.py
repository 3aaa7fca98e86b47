"""What is noted while operators run: storages and what they are for, calls, arithmetic, messages."""

from l3_modeltools.training.dryrun.record.ledger import Course, Ledger
from l3_modeltools.training.dryrun.record.tally import Route, Tally
from l3_modeltools.training.dryrun.record.watch import Watch

__all__ = ["Course", "Ledger", "Route", "Tally", "Watch"]
