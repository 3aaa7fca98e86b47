"""Each figure is what its source defines, told apart by a run that has time of every kind."""

import pytest

from l3_modeltools.resilience.accounts import (
    CATEGORIES,
    Accounts,
    Interval,
    ettr,
    goodput,
    published_figures,
    window_ettr,
)


def accounts(**seconds: float) -> Accounts:
    """Return accounts in the order given."""
    intervals, at = [], 0
    for category in seconds:
        end = at + round(seconds[category] * 1e9)
        intervals.append(Interval(begin_ns=at, end_ns=end, category=category))  # type: ignore[arg-type]
        at = end
    return Accounts(intervals=tuple(intervals), spent_s={name: seconds.get(name, 0.0) for name in CATEGORIES})


MIXED = accounts(queue=100, setup=50, productive=600, redone=50, stopped=200)


def test_they_differ_in_what_they_count_as_the_whole() -> None:
    assert ettr(MIXED) == pytest.approx(600 / 800)
    assert goodput(MIXED) == pytest.approx(600 / 700)
    shares = {figure.name: figure.share for figure in published_figures(MIXED)}
    assert shares["effective training time"] == pytest.approx(600 / 900)
    assert shares["ETTR"] == ettr(MIXED) and shares["goodput"] == goodput(MIXED)


def test_ettr_is_scheduling_goodput_times_runtime_goodput() -> None:
    scheduling = (1000 - 100 - 200) / (1000 - 200)
    assert ettr(MIXED) == pytest.approx(scheduling * (goodput(MIXED) or 0))


def test_the_window_sees_its_own_time_only() -> None:
    assert window_ettr(MIXED, window_s=300) == pytest.approx(50 / 100)
    assert window_ettr(MIXED, window_s=350) == pytest.approx(100 / 150)
    assert window_ettr(MIXED, window_s=1e6) == pytest.approx(ettr(MIXED))


def test_where_no_time_has_passed_there_is_no_share() -> None:
    for figure in published_figures(accounts()):
        assert figure.share is None
    assert ettr(accounts(stopped=5)) is None and goodput(accounts(queue=5)) is None
    assert window_ettr(accounts(productive=10, stopped=100), window_s=50) is None


def test_every_figure_names_its_source() -> None:
    assert all(figure.source and figure.equation for figure in published_figures(MIXED))


def test_the_last_hour_is_told_of_longer_runs_alone() -> None:
    names = [figure.name for figure in published_figures(MIXED)]
    assert "ETTR of the last hour" not in names
    longer = [figure.name for figure in published_figures(accounts(productive=4000))]
    assert "ETTR of the last hour" in longer


def test_llama_3s_time_begins_with_the_first_start_and_holds_later_queues() -> None:
    later = accounts(queue=100, productive=60, stopped=10, setup=30)
    more = Accounts(
        intervals=(*later.intervals, Interval(begin_ns=200 * 10**9, end_ns=220 * 10**9, category="queue")),
        spent_s={**later.spent_s, "queue": 120.0},
    )
    shares = {figure.name: figure.share for figure in published_figures(more)}
    assert shares["effective training time"] == pytest.approx(60 / 120)
