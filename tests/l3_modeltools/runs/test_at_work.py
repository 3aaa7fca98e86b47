"""A run is at work from each start to its end; what it waited for, its queue and its stops are no work."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.runs import Happened, Mark, read_ends, read_starts
from l3_modeltools.runs.at_work import Work, find_work

# what happened, `word at …`; its last step; now, where it has processes → seconds, since
CASES = [
    ("", None, None, None, None),
    ("saved 50", 90, None, None, None),
    ("*start 10", 30, None, 20, None),
    ("*start 10", 30, 35, 25, 10),
    ("*start 10 *end 40", 30, None, 30, None),
    ("*start 10 supervised 11 spawned 12 ready 15 ended 39 *end 40", 30, None, 29, None),
    ("*start 10 *end 40 *start 1000 *end 1010", 1009, None, 40, None),
    ("*start 10 *end 40 *start 1000", 1009, 1020, 50, 1000),
    ("*start 10 *end 40", 30, None, 30, None),
    ("*start 10 supervised 11 spawned 12 spawned 20 ready 25", 30, 60, 50, 10),
    ("*start 10 supervised 11 paused 20 went_on 500", 510, 520, 30, 500),
    ("*start 10 supervised 11 paused 20", 19, 520, 10, None),
    ("*start 10 supervised 11 paused 20 spawned 500", 510, 520, 30, 500),
    ("*start 10 supervised 11 saved 60 *start 500 supervised 501", 510, 520, 70, 500),
    ("supervised 11 saved 60 supervised 501 saved 520", 530, None, 78, None),
    ("supervised 11 ended 60 supervised 501 ended 520", 519, None, 68, None),
]


def happened(text: str) -> Happened:
    words = text.split()
    told = [(word, float(at)) for word, at in zip(words[::2], words[1::2], strict=True)]
    return Happened(
        starts=tuple(at for word, at in told if word == "*start"),
        ends=tuple(at for word, at in told if word == "*end"),
        marks=tuple(Mark(at=at, mark=word) for word, at in told if not word.startswith("*")),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("told", "stepped_at", "now", "seconds", "since"), CASES)
def test_the_stretches_of_work_are_summed(
    told: str, stepped_at: float | None, now: float | None, seconds: float | None, since: float | None
) -> None:
    assert find_work(happened(told), stepped_at=stepped_at, now=now) == Work(seconds=seconds, since=since)


@given(st.lists(st.tuples(st.floats(1, 1e4), st.floats(1, 1e4)), min_size=1, max_size=8))
def test_work_and_the_time_between_are_all_the_time_there_is(stretches: list[tuple[float, float]]) -> None:
    at, starts, ends = 0.0, [], []
    for idle_s, work_s in stretches:
        starts.append(at + idle_s)
        ends.append(at + idle_s + work_s)
        at = ends[-1]
    told = Happened(starts=starts, ends=ends)
    worked = find_work(told, stepped_at=None, now=None)
    assert worked.seconds == pytest.approx(sum(work_s for _, work_s in stretches))
    going = find_work(Happened(starts=starts, ends=ends[:-1]), stepped_at=None, now=ends[-1])
    assert (going.seconds, going.since) == (pytest.approx(worked.seconds), starts[-1])


def test_ends_are_read_from_the_events_of_the_jobs(tmp_path: Path) -> None:
    lines = ({"at": 5, "event": "started"}, {"at": 9, "event": "ended"}, {"at": 7, "event": "ending"})
    events = tmp_path / "events.jsonl"
    events.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert (read_starts([events]), read_ends([events, tmp_path / "none"])) == ((5.0,), (9.0,))
