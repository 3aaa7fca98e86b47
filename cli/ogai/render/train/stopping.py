"""A run on its way to its end: one line that stays current on a terminal, lines now and then in a pipe; on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from ogai.flows.train.stopping import Stopping
from ogai.render.moment import brief
from ogai.render.table import console

__all__ = ["Sparse", "stopping_shown"]

SPARSE_S = 10.0
"""Between two lines in a pipe about the same."""

Report = Callable[[Stopping], None]


@contextmanager
def stopping_shown(run_id: str) -> Iterator[Report]:
    """Yield what is to be told how far the end of a run is."""
    if not sys.stderr.isatty():
        yield Sparse(lambda line: click.echo(f"{run_id}: {line}", err=True))
        return
    with console(stderr=True).status(run_id, spinner="line") as status:
        yield lambda told: status.update(f"{run_id}: {told.doing} … {describe_passed(told)}")


class Sparse:
    """Writes a line when something else is done, and one each `SPARSE_S` while it is not."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write = write
        self.doing, self.told_s = "", 0.0

    def __call__(self, told: Stopping) -> None:
        """Take note of how far it is."""
        if told.doing == self.doing and told.passed_s - self.told_s < SPARSE_S:
            return
        again = told.doing == self.doing
        self.doing, self.told_s = told.doing, told.passed_s
        self.write(f"{told.doing}, {describe_passed(told)} so far" if again else told.doing)


def describe_passed(told: Stopping) -> str:
    """Write `12s of at most 5m`: after its grace a run is killed."""
    return f"{brief(told.passed_s)} of at most {brief(told.grace_s)}"
