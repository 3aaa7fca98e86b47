"""Every form in which a log's lines begin, and the times they tell."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts.kernel_log.clock import Clock, parse_clock
from l0_infra.facts.kernel_log.head import parse_head
from l0_infra.facts.kernel_log.lines import Line, parse_lines

BOOT = datetime(2026, 5, 9, 6, 0, 0, tzinfo=UTC).timestamp()
CLOCK = Clock(booted_at=BOOT, asked_at=BOOT + 90_000, now=BOOT + 99_000_000)
UNKNOWN = Clock(now=BOOT + 90_000)
UPTIME = 9130.250000
AT = BOOT + UPTIME  # 2026-05-09 08:32:10.25, a Saturday
TEXT = "nvme nvme2: resetting controller"

SINCE_BOOT, WALL, BOTH = (False, True), (True, False), (True, True)
"""Whether a head tells the time of day, and the time since boot."""

HEADS = [
    ("[ 9130.250000] ", UPTIME, SINCE_BOOT),
    ("[ 9130.250000][ T2201] ", UPTIME, SINCE_BOOT),
    ("[ 9130.250000] [    C7] ", UPTIME, SINCE_BOOT),
    ("[ 9130.250000 <    0.000307>] ", UPTIME, SINCE_BOOT),
    ("<6>[ 9130.250000] ", UPTIME, SINCE_BOOT),
    ("kern  :warn  : [ 9130.250000] ", UPTIME, SINCE_BOOT),
    ("user  :notice: [ 9130.250000] ", UPTIME, SINCE_BOOT),
    ("[ 9130.250000] node7 kernel: ", UPTIME, SINCE_BOOT),
    ("4,2817,9130250000,-;", UPTIME, SINCE_BOOT),
    ("4,2817,9130250000,-,caller=T2201;", UPTIME, SINCE_BOOT),
    ("[Sat May  9 08:32:10 2026] ", 9130.0, WALL),
    ("kern  :err   : [Sat May  9 08:32:10 2026] ", 9130.0, WALL),
    ("[May 9 08:32] ", 9120.0, WALL),
    ("[May09 08:32] ", 9120.0, WALL),
    ("2026-05-09T08:32:10,250000+00:00 ", UPTIME, WALL),
    ("kern  :info  : 2026-05-09T10:32:10,250000+02:00 ", UPTIME, WALL),
    ("May  9 08:32:10 node7 kernel: ", 9130.0, WALL),
    ("May  9 08:32:10.250000 node7 kernel: ", UPTIME, WALL),
    ("May  9 08:32:10 node7 kernel: [ 9130.250000] ", UPTIME, BOTH),
    ("2026-05-09T08:32:10+0000 node7 kernel: ", 9130.0, WALL),
    ("2026-05-09T08:32:10.250000+00:00 node7 kernel: ", UPTIME, WALL),
    ("2026-05-09T01:32:10.250000-0700 node7.example.org kernel: [ 9130.250000] ", UPTIME, BOTH),
    ("2026-05-09T08:32:10.250Z node7 kernel: ", UPTIME, WALL),
    ("Sat 2026-05-09 08:32:10 UTC node7 kernel: ", 9130.0, WALL),
    (f"{AT:.6f} node7 kernel: ", UPTIME, WALL),
]


@pytest.mark.parametrize(("head", "uptime_s", "tells"), HEADS)
def test_a_head_is_left_out_and_its_time_told(head: str, uptime_s: float, tells: tuple[bool, bool]) -> None:
    (line,) = parse_lines(head + TEXT, CLOCK)
    assert line == Line(text=TEXT, at=pytest.approx(BOOT + uptime_s), uptime_s=pytest.approx(uptime_s))
    (line,) = parse_lines(head + TEXT, UNKNOWN)
    assert (line.at is not None, line.uptime_s is not None) == tells
    assert line.at in (None, pytest.approx(BOOT + uptime_s))
    assert line.uptime_s in (None, pytest.approx(uptime_s))


def test_a_log_in_many_forms_at_once_with_carriage_returns_and_nuls() -> None:
    log = "\r\n".join(head + "\0" + TEXT for head, *_ in HEADS)
    assert [line.text for line in parse_lines(log, CLOCK)] == [TEXT] * len(HEADS)


def test_a_daemon_s_name_stays() -> None:
    (line,) = parse_lines("May  9 08:32:10 node7 systemd-networkd[812]: ib2: Lost carrier", CLOCK)
    assert (line.text, line.uptime_s) == ("systemd-networkd[812]: ib2: Lost carrier", 9130)


def test_the_node_s_zone_counts_where_a_time_tells_none() -> None:
    clock = Clock(booted_at=BOOT, now=BOOT + 90_000, zone_s=-7 * 3600)
    (line,) = parse_lines("[Sat May  9 01:32:10 2026] x", clock)
    assert line.uptime_s == 9130


@pytest.mark.parametrize(
    ("asked", "year"),
    [
        ("2026-05-10", 2026),
        ("2026-05-09", 2026),
        ("2026-05-08", 2025),
        ("2026-01-02", 2025),
        ("2027-12-31", 2027),
    ],
)
def test_a_date_without_a_year_is_the_last_such_day(asked: str, year: int) -> None:
    clock = Clock(now=datetime.fromisoformat(f"{asked}T12:00:00+00:00").timestamp())
    (line,) = parse_lines("May  9 23:59:59 n kernel: x", clock)
    assert line.at == datetime(year, 5, 9, 23, 59, 59, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "head", ["[Mon Feb 30 08:32:10 2026] ", "Feb 30 08:32:10 n kernel: ", "2026-13-09T25:32:10Z n kernel: "]
)
def test_a_day_that_is_none_is_no_time(head: str) -> None:
    (line,) = parse_lines(head + TEXT, CLOCK)
    assert (line.text, line.at, line.uptime_s) == (TEXT, None, None)


def test_the_29th_of_february_without_a_year_is_of_a_leap_year() -> None:
    (line,) = parse_lines("Feb 29 08:00:00 n kernel: x", CLOCK)
    assert line.at == datetime(2024, 2, 29, 8, tzinfo=UTC).timestamp()


def test_differences_are_added_up() -> None:
    first, second, third = parse_lines("[May 9 08:32] a\n[  +0.500000] b\n[ +10.250000] c", CLOCK)
    assert (first.uptime_s, second.uptime_s, third.uptime_s) == (9120.0, 9120.5, 9130.75)


def test_a_line_that_goes_on_has_the_time_of_the_one_before() -> None:
    log = "[    7.5] NVRM: The NVIDIA GPU 0000:5d:00.0\n              NVRM: (PCI ID: 10de:2330) installed"
    assert parse_lines(log, UNKNOWN)[1] == Line(text="NVRM: (PCI ID: 10de:2330) installed", uptime_s=7.5)


def test_what_the_kernel_escapes_is_itself_again() -> None:
    (line,) = parse_lines(r"6,1,2000000,-;caf\xe9\x0aon one line", UNKNOWN)
    assert line.text == "café on one line"


def test_the_journal_in_json() -> None:
    times = '"__REALTIME_TIMESTAMP":"1778315530250000","_SOURCE_MONOTONIC_TIMESTAMP":"9130250000"'
    entry = '{"MESSAGE":"NVRM: Xid\\n(x)",' + times + ',"PRIORITY":"3"}'
    assert parse_lines(entry, UNKNOWN) == (Line(text="NVRM: Xid (x)", at=AT, uptime_s=UPTIME),)
    assert parse_lines('{"MESSAGE": 7}', UNKNOWN)[0].text == '{"MESSAGE": 7}'


def test_colours_are_left_out_and_what_is_too_long_is_cut() -> None:
    (line,) = parse_lines(
        "\x1b[32m[    7.500000] \x1b[0m\x1b[33mnvme nvme2: \x1b[0m\x1b[1mdown\x1b[0m", UNKNOWN
    )
    assert line == Line(text="nvme nvme2: down", uptime_s=7.5)
    (line,) = parse_lines("x" * 1_000_000, UNKNOWN)
    assert len(line.text) == 4096


def test_of_other_boots_the_time_since_boot_is_not_told() -> None:
    log = "[  900.0] old\n[    0.000000] Linux version 6.8.0\n[    1.0] new"
    assert [line.uptime_s for line in parse_lines(log, CLOCK)] == [None, 0.0, 1.0]
    log = "[  900.0] old\n[    1.0] new"
    assert [(line.uptime_s, line.at) for line in parse_lines(log, CLOCK)] == [(None, None), (1.0, BOOT + 1)]
    log = "May  8 08:32:10 n kernel: [  900.0] old\n-- Boot 3f00 --\nMay  9 06:00:01 n kernel: [    1.0] new"
    old, _, new = parse_lines(log, CLOCK)
    assert (old.at, old.uptime_s) == (BOOT - 77_270, None)
    assert (new.at, new.uptime_s) == (BOOT + 1, 1.0)


def test_lines_a_little_out_of_order_are_of_one_boot() -> None:
    assert [line.uptime_s for line in parse_lines("[ 12.5] a\n[ 12.4] b", UNKNOWN)] == [12.5, 12.4]


def test_the_clock_of_a_node() -> None:
    clock = parse_clock("btime 1778306400\n90000.25 1234.5\n+0530\n", now=5.0)
    assert clock == Clock(booted_at=1778306400.0, asked_at=1778396400.25, now=5.0, zone_s=19800)
    assert parse_clock("btime 1778306400\n", now=5.0) == Clock(booted_at=1778306400.0, now=5.0)
    assert parse_clock("", now=5.0) == Clock(now=5.0)
    assert parse_clock("btime x\n+9", now=5.0) == Clock(now=5.0)


@given(
    st.datetimes(datetime(2024, 1, 1), datetime(2026, 5, 9)),
    st.integers(-12, 14),
    st.sampled_from(["iso", "syslog", "ctime"]),
)
def test_a_time_is_read_as_it_was_written(when: datetime, hours: int, form: str) -> None:
    zone = timezone(timedelta(hours=hours))
    there = when.replace(microsecond=0, tzinfo=zone)
    clock = Clock(now=there.timestamp() + 1, zone_s=hours * 3600)
    head = {
        "iso": there.strftime("%Y-%m-%dT%H:%M:%S%z n kernel: "),
        "syslog": there.strftime("%b %e %H:%M:%S n kernel: "),
        "ctime": there.strftime("[%a %b %e %H:%M:%S %Y] "),
    }[form]
    assert parse_lines(head + "x", clock) == (Line(text="x", at=there.timestamp()),)


@pytest.mark.parametrize(
    "head", ["[Mo Mär  3 09:12:45 2025] ", "[一 3月  3 09:12:45 2025] ", "[lun. mars  3 09:12:45 2025]"]
)
def test_a_head_of_another_language_tells_no_time_and_is_no_text(head: str) -> None:
    found = parse_head(f"{head}python3[7]: segfault", UNKNOWN)
    assert (found.at, found.uptime_s) == (None, None)
    assert f"{head}python3[7]: segfault"[found.end :] == "python3[7]: segfault"
