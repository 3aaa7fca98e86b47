"""Sizes and durations: what people write, and nothing that is not one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.errors import UsageError
from l0_infra.core.units import format_bytes, format_count, format_duration, parse_bytes, parse_duration


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0), ("4096", 4096), ("4096 B", 4096), ("1 KiB", 1024), ("64 GiB", 2**36), ("64GB", 64 * 10**9),
        ("64 gib", 2**36), ("1.5 TiB", 3 * 2**39), ("1.5kB", 1500), (" 2 MB ", 2_000_000), ("1 EiB", 2**60),
    ],
)  # fmt: skip
def test_sizes(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GiB",
        "-1",
        "-1 GiB",
        "nan",
        "inf",
        "1e3",
        "64 G",
        "64 Gbit",
        "0.5 B",
        "1..5 GiB",
        "1,5 GiB",
        "٣ GiB",
    ],
)
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_bytes(text, where="--memory")
    assert str(caught.value).startswith(f"--memory: found `{text}`; expected a whole number of bytes")


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (2**36, "64 GiB"), 
     (2**40 - 1, "1024 GiB"),
     (123_456_789, "118 MiB"), (80 * 2**30 + 1, "80 GiB"), (2**63, "8 EiB")],
)  # fmt: skip
def test_sizes_are_written_in_binary_units(size: int, text: str) -> None:
    assert format_bytes(size) == text


@given(st.integers(0, 2**63))
def test_a_written_size_is_near_the_true_one(size: int) -> None:
    assert parse_bytes(format_bytes(size)) == pytest.approx(size, rel=0.005, abs=1)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0), ("45", 45), ("1.5", 1.5), ("90s", 90), ("250ms", 0.25), ("30m", 1800), ("30min", 1800),
        ("2h30m", 9000), ("2h 30m", 9000), ("1d12h", 129600), ("1-12:00:00", 129600), ("1-12", 129600),
        ("1-12:30", 131400), ("02:00:00", 7200), ("100:00:00", 360000),
    ],
)  # fmt: skip
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "-5", "-5s", "nan", "inf", "1e3", "2h30", "h", "1:60:00", "2 weeks", "1-", "5 s x"]
)
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(UsageError, match="expected seconds or a duration"):
        parse_duration(text)


def test_minutes_or_hours_is_asked_back() -> None:
    with pytest.raises(UsageError) as caught:
        parse_duration("30:00", where="--time")
    assert caught.value.hint == "write `0:30:00` or `30:00:00`, whichever is meant"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.25, "0.25s"),
        (59.9996, "1m"),
        (90, "1m30s"),
        (9000, "2h30m"),
        (129600, "1d12h"),
        (1e-9, "0s"),
    ],
)
def test_durations_are_written_in_terms(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@given(st.floats(0, 1e9))
def test_a_written_duration_is_right_to_the_millisecond(seconds: float) -> None:
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds, abs=0.0006)


def test_one_is_singular_and_nothing_else_is() -> None:
    assert [format_count(number, "CPU") for number in (0, 1, 2)] == ["0 CPUs", "1 CPU", "2 CPUs"]
