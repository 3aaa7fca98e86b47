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
