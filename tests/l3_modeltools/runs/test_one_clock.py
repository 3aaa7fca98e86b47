"""What a run told while its clock was set is moved to one clock: no time passes that did not, and none is missing."""

from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.accounts import account
from l3_modeltools.runs import (
    Mark,
    MarkWord,
    Metric,
    MetricsReader,
    OneClock,
    append_mark,
    read_metric_lines,
    read_metrics,
)
from l3_modeltools.schemas import Evidence, TrainingFault

BASE, SUBMITTED_AT = 1e8, 80.0
NOTICE_S = 0.1
"""After so long a supervisor notices that the clock was set."""


@dataclass(frozen=True)
class Clock:
    """A clock that is set at some moments, by so much."""

    jumps: tuple[tuple[float, float], ...]

    def tell(self, at: float) -> float:
        """Say what it shows at a moment."""
        return BASE + at + sum(by for moment, by in self.jumps if moment <= at)

    def now(self, at: float) -> float:
        """Say what it would show at a moment if it had been all the time as it is at the end."""
        return BASE + at + sum(by for _, by in self.jumps)

    def notices(
        self, late_s: float = NOTICE_S, *, wrong_s: float = 0.0, booted_at: float | None = None
    ) -> list[tuple[float, Mark]]:
        """Say when a supervisor marks what, which finds so much too much and has the other clock, if it does."""
        return [
            (moment + late_s, self._notice(moment + late_s, by + wrong_s, n, late_s, booted_at))
            for n, (moment, by) in enumerate(self.jumps, 1)
        ]

    def _notice(self, at: float, by: float, number: int, late_s: float, booted_at: float | None) -> Mark:
        mark = Mark(at=self.tell(at), mark="clock_set", seconds=by, fault_id=number, late_s=late_s)
        return mark if booted_at is None else msgspec.structs.replace(mark, monotonic_s=at - booted_at)


def a_mark(clock: Clock, at: float, word: MarkWord) -> tuple[float, Mark]:
    return at, Mark(at=clock.tell(at), mark=word)


def timeline(clock: Clock, *moments: tuple[float, MarkWord]) -> list[Mark]:
    """Return the timeline of a run at which this happened, as its clock told it."""
    told = [*(a_mark(clock, at, word) for at, word in moments), *clock.notices()]
    return [mark for _, mark in sorted(told, key=lambda one: one[0])]


FAR = st.floats(2, 1e5) | st.floats(-1e5, -2)
CLOCKS = st.lists(st.tuples(st.integers(110, 890), FAR), max_size=4, unique_by=lambda jump: jump[0]).map(
    lambda jumps: Clock(tuple(sorted((float(moment), by) for moment, by in jumps)))
)


@given(clock=CLOCKS)
def test_whatever_happens_to_the_clock_times_are_those_of_one_that_was_never_set(clock: Clock) -> None:
    steps = [100.3 + step for step in range(800)]
    marks = timeline(clock, (100.0, "supervised"), (101.0, "spawned"), (500.2, "saved"), (901.0, "ended"))
    straight = OneClock(marks, clock.tell(SUBMITTED_AT))
    told = straight.metrics([Metric(step=n, at=clock.tell(at)) for n, at in enumerate(steps, 1)])
    assert [metric.at for metric in told] == pytest.approx([clock.now(at) for at in steps], abs=0.01, rel=0)
    assert [mark.at for mark in straight.marks] == pytest.approx(
        [clock.now(at) for at in (100.0, 101.0, 500.2, 901.0)], abs=0.01, rel=0
    )
    assert [mark.mark for mark in straight.marks] == ["supervised", "spawned", "saved", "ended"]


@pytest.mark.parametrize("by", [7200.0, 1.5, -1.5, -5.0, -7200.0, -1e6])
def test_what_happened_around_the_supervision_is_moved_too(by: float) -> None:
    clock = Clock(((300.0, by),))
    marks = timeline(clock, (100.0, "supervised"), (400.0, "ended"), (600.0, "supervised"), (700.0, "ended"))
    moments = (SUBMITTED_AT, 99.0, 401.0, 500.0, 599.0, 701.0)
    straight = OneClock(marks, clock.tell(SUBMITTED_AT))
    found = straight.outside([clock.tell(at) for at in reversed(moments)])
    assert found == pytest.approx([clock.now(at) for at in moments], abs=0.01, rel=0)
    assert straight.submitted_at == clock.now(SUBMITTED_AT) and straight.times_set == 1


def test_faults_are_moved_whole(tmp_path: Path) -> None:
    clock = Clock(((300.0, -7200.0),))
    known = [
        TrainingFault(
            run="a-1",
            fault_id=number,
            fault_class="killed",
            occurred_at=clock.tell(at),
            detected_at=clock.tell(at + 1),
            resumed_at=clock.tell(at + 3),
            evidence=(Evidence(source="exit", text="9"),),
            advised="restart_worker",
        )
        for number, at in ((0, 200.0), (1, 299.5), (2, 320.0))
    ]
    moved = OneClock(timeline(clock, (100.0, "supervised")), clock.tell(SUBMITTED_AT)).faults(known)
    assert [fault.occurred_at for fault in moved][::2] == [clock.now(200.0), clock.now(320.0)]
    assert [fault.detected_at for fault in moved][::2] == [clock.now(201.0), clock.now(321.0)]
    assert [fault.resumed_at for fault in moved][::2] == [clock.now(203.0), clock.now(323.0)]
    assert (moved[2].located_at, moved[2].fault_id) == (None, 2)


def test_a_clock_that_was_never_set_leaves_everything_as_it_is() -> None:
    marks = timeline(Clock(()), (100.0, "supervised"), (90.0, "spawned"))
    lines = (Metric(step=2, at=5.0), Metric(step=1, at=4.0), Metric(step=3))
    straight = OneClock(marks, SUBMITTED_AT)
    assert straight.marks == tuple(marks) and straight.metrics(lines) == lines
    assert straight.outside([3.0, 1.0]) == (1.0, 3.0)


@pytest.mark.parametrize("seconds", [None, 1e300, -1e300, float("inf")])
def test_what_no_clock_is_set_by_moves_nothing(seconds: float | None) -> None:
    marks = (Mark(at=1.0, mark="supervised"), Mark(at=9.0, mark="clock_set", seconds=seconds))
    straight = OneClock(marks, 0.5)
    assert (straight.times_set, straight.submitted_at, straight.outside([0.7])) == (0, 0.5, (0.7,))


@pytest.mark.parametrize("by", [3 * 3600.0, -3 * 3600.0])
def test_no_second_of_a_run_is_lost_or_added(by: float) -> None:
    clock = Clock(((300.0, by),))
    marks = timeline(clock, (105.0, "supervised"), (106.0, "spawned"), (110.0, "ready"), (510.0, "ended"))
    lines = [Metric(step=n, at=clock.tell(110.5 + n), step_s=1.0) for n in range(1, 400)]
    straight = OneClock(marks, clock.tell(SUBMITTED_AT))
    accounts = account(
        submitted_at=straight.submitted_at + 20,
        until=clock.tell(510.0),
        starts=straight.outside([clock.tell(104.0)]),
        marks=straight.marks,
        faults=(),
        lines=straight.metrics(lines),
    )
    spent = {name: seconds for name, seconds in accounts.spent_s.items() if seconds > 0.01}
    assert spent == pytest.approx(
        {"productive": 399.0, "queue": 4.0, "setup": 6.0, "other": 1.0}, abs=0.01, rel=0
    )


def test_metrics_are_read_on_one_clock_and_what_is_told_later_as_it_is(tmp_path: Path) -> None:
    clock = Clock(((12.5, -3600.0),))
    for mark in timeline(clock, (1.0, "supervised")):
        append_mark(tmp_path, mark)
    steps = [Metric(step=n, at=clock.tell(10.0 + n), loss=1.0) for n in range(1, 5)]
    (tmp_path / "metrics.jsonl").write_bytes(b"".join(msgspec.json.encode(m) + b"\n" for m in steps))
    straight = OneClock(timeline(clock, (1.0, "supervised")), clock.tell(0.5))
    wanted = [clock.now(10.0 + n) for n in range(1, 5)]
    assert [metric.at for metric in read_metrics(tmp_path, straight)] == wanted
    assert [metric.at for metric in read_metric_lines(tmp_path, straight)] == wanted
    reader = MetricsReader(tmp_path, straight)
    reader.read()
    with (tmp_path / "metrics.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(Metric(step=5, at=clock.tell(15.0))) + b"\n")
    reader.read()
    assert [metric.at for metric in reader.metrics] == [*wanted, clock.now(15.0)]


BOOTED_AT = -7.25
ANY = st.floats(1.1, 1e5) | st.floats(-1e5, -1.1)


@given(clock=CLOCKS, sizes=st.data(), late_s=st.floats(0.0, 3.9), wrong_s=st.floats(-0.05, 0.05))
def test_what_is_told_with_a_clock_that_cannot_be_set_never_goes_back(
    clock: Clock, sizes: st.DataObject, late_s: float, wrong_s: float
) -> None:
    clock = Clock(tuple((moment * 5, sizes.draw(ANY)) for moment, _ in clock.jumps))
    notices = clock.notices(late_s, wrong_s=wrong_s, booted_at=BOOTED_AT)
    marks = [Mark(at=clock.tell(100.0), mark="supervised"), *(mark for _, mark in notices)]
    steps = [step for moment, _ in clock.jumps for step in _around(moment)]
    straight = OneClock(marks, clock.tell(SUBMITTED_AT))
    told = straight.metrics([_stamped(clock, at, step) for step, at in enumerate(steps, 1)])
    found = [metric.at or 0.0 for metric in told]
    assert found == sorted(found)
    assert found == pytest.approx([clock.now(at) for at in steps], abs=0.5, rel=0)


def _around(moment: float) -> list[float]:
    """Return the ends of steps of 20 ms, before the clock is set and after."""
    return [moment - 0.11 + 0.02 * n for n in range(205)]


def _stamped(clock: Clock, at: float, step: int, *, booted_at: float = BOOTED_AT) -> Metric:
    return Metric(step=step, at=clock.tell(at), monotonic_s=at - booted_at)


@pytest.mark.parametrize("by", [12_087.0, 39.0, -54_854.0, -89.0])
@pytest.mark.parametrize("late_s", [0.7, 8.0])
def test_steps_are_right_where_a_busy_machine_has_the_supervisor_notice_late(
    by: float, late_s: float
) -> None:
    clock = Clock(((300.0, by),))
    marks = [Mark(at=clock.tell(100.0), mark="supervised"), *(mark for _, mark in clock.notices(late_s))]
    straight = OneClock(marks, clock.tell(SUBMITTED_AT))
    steps = [290.01 + 0.02 * n for n in range(1500)]
    told = straight.metrics([Metric(step=n, at=clock.tell(at)) for n, at in enumerate(steps, 1)])
    assert [metric.at for metric in told] == pytest.approx([clock.now(at) for at in steps], abs=0.01, rel=0)


def test_marks_are_right_that_were_told_or_written_while_the_supervisor_had_not_noticed() -> None:
    clock = Clock(((300.0, -3.0),))
    notice = clock.notices(5.0, booted_at=BOOTED_AT)[0]
    moments = {"supervised": 100.0, "saved": 299.9, "validated": 301.0, "ended": 306.0}
    told = [
        Mark(at=clock.tell(at), mark=word, monotonic_s=at - BOOTED_AT)  # type: ignore[arg-type]
        for word, at in moments.items()
    ]
    marks = [told[0], told[2], notice[1], told[1], told[3]]  # a slow disk had one of before come behind
    straight = OneClock(marks, clock.tell(SUBMITTED_AT))
    found = {mark.mark: mark.at for mark in straight.marks}
    assert found == pytest.approx({word: clock.now(at) for word, at in moments.items()}, abs=0.01, rel=0)


def test_a_machine_that_was_started_anew_has_another_clock_that_cannot_be_set() -> None:
    clock = Clock(((300.0, 600.0), (700.0, -1800.0)))
    first, second = clock.notices(booted_at=BOOTED_AT)[0], clock.notices(booted_at=400.0)[1]
    marks = [Mark(at=clock.tell(100.0), mark="supervised"), first[1], second[1]]
    straight = OneClock(marks, clock.tell(SUBMITTED_AT))
    steps = [(200.0, BOOTED_AT), (300.05, BOOTED_AT), (350.0, BOOTED_AT), (500.0, 400.0), (700.05, 400.0)]
    lines = [_stamped(clock, at, n, booted_at=booted) for n, (at, booted) in enumerate(steps, 1)]
    wanted = [clock.now(at) for at, _ in steps]
    assert [metric.at for metric in straight.metrics(lines)] == pytest.approx(wanted, abs=0.01, rel=0)
    unknown = [_stamped(clock, at, n, booted_at=123.0) for n, (at, _) in enumerate(steps, 1)]
    assert [metric.at for metric in straight.metrics(unknown)] == pytest.approx(wanted, abs=0.01, rel=0)
