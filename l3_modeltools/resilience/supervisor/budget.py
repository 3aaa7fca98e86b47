"""How often a run was started again, read from its timeline: the one budget of restarts."""

from collections.abc import Sequence

from l3_modeltools.runs import Mark, OneClock, is_final

__all__ = ["spent_restarts"]


def spent_restarts(marks: Sequence[Mark]) -> tuple[float, ...]:
    """Return when the run was started again by itself since a person started it last, in seconds since the epoch.

    In the time of the clock as it is now: setting it neither frees the budget nor spends it for longer.
    A restart is a generation that a fault made necessary, or a supervisor after one which did not come to an end.
    """
    spent: list[float] = []
    ended = True
    for mark in OneClock(marks, 0.0).marks:
        if mark.mark == "ended":
            ended = mark.exit_code is not None and is_final(mark.exit_code)
        elif mark.mark == "supervised":
            spent = [] if ended else [*spent, mark.at]
            ended = False
        elif mark.mark == "spawned" and mark.fault_id is not None:
            spent.append(mark.at)
    return tuple(spent)
