"""How often a run was started again, read from its timeline: the one budget of restarts."""

from collections.abc import Sequence

from l3_modeltools.runs import Mark

__all__ = ["spent_restarts"]

FINAL = frozenset({0, 2, 3, 4, 6})
"""Exit codes after which nothing starts again by itself."""

SIGNALLED = 128


def spent_restarts(marks: Sequence[Mark]) -> tuple[float, ...]:
    """Return when the run was started again by itself since a person started it last, in seconds since the epoch.

    A restart is a generation that a fault made necessary, or a supervisor after one which did not come to an end.
    """
    spent: list[float] = []
    ended = True
    for mark in marks:
        if mark.mark == "ended":
            ended = mark.exit_code is not None and _is_final(mark.exit_code)
        elif mark.mark == "supervised":
            spent = [] if ended else [*spent, mark.at]
            ended = False
        elif mark.mark == "spawned" and mark.fault_id is not None:
            spent.append(mark.at)
    return tuple(spent)


def _is_final(exit_code: int) -> bool:
    return exit_code in FINAL or exit_code > SIGNALLED
