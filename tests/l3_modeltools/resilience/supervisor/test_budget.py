"""Restarts are counted once, whoever made them, and a person's resume begins anew."""

import pytest

from l3_modeltools.resilience.supervisor.budget import spent_restarts
from l3_modeltools.runs import Mark, MarkWord


def timeline(*words: tuple[MarkWord, int | None]) -> tuple[Mark, ...]:
    """Marks a second apart; the number is the exit code of an end and the fault of a start."""
    return tuple(
        Mark(
            at=float(at),
            mark=word,
            exit_code=number if word == "ended" else None,
            fault_id=number if word == "spawned" else None,
        )
        for at, (word, number) in enumerate(words)
    )


FIRST = (("supervised", None), ("spawned", None))


@pytest.mark.parametrize(
    ("marks", "spent"),
    [
        ((), ()),
        (FIRST, ()),
        ((*FIRST, ("spawned", 1), ("ready", None), ("spawned", 2)), (2.0, 4.0)),
        ((*FIRST, *FIRST), (2.0,)),  # the supervisor was killed
        ((*FIRST, ("ended", 75), *FIRST), (3.0,)),  # it asked for another start
        ((*FIRST, ("spawned", 1), ("ended", 143), *FIRST), ()),  # stopped and resumed by a person
        ((*FIRST, ("spawned", 1), ("ended", 6), *FIRST), ()),  # given up, and tried again by a person
        ((*FIRST, ("spawned", 1), ("ended", 1), *FIRST, ("spawned", 2)), (2.0, 4.0, 6.0)),
    ],
)
def test_what_counts(marks: tuple[tuple[MarkWord, int | None], ...], spent: tuple[float, ...]) -> None:
    assert spent_restarts(timeline(*marks)) == spent


@pytest.mark.parametrize("by", [86400.0, -86400.0])
def test_setting_the_clock_neither_frees_the_budget_nor_spends_it_for_longer(by: float) -> None:
    began = 1e9
    marks = (
        Mark(at=began, mark="supervised"),
        Mark(at=began + 1, mark="spawned"),
        Mark(at=began + 10, mark="spawned", fault_id=1),
        Mark(at=began + 20 + by, mark="clock_set", seconds=by, fault_id=2),
        Mark(at=began + 30 + by, mark="spawned", fault_id=3),
    )
    assert spent_restarts(marks) == (began + 10 + by, began + 30 + by)
