"""Times and durations as people read them."""

import time

__all__ = ["ago", "brief", "clock", "local_time", "stopwatch"]

DAY_S = 86400
LAST_S = 253402214400.0
"""A day before the end of the year 9999."""


def stopwatch(seconds: float) -> str:
    """Write a run time as Slurm does: `0:42`, `12:05`, `2:03:04`, `3-02:03:04`."""
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}-{hours:02}:{minutes:02}:{rest:02}"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def brief(seconds: float) -> str:
    """Write a duration in its one or two largest units: `42s`, `12m`, `2h3m`, `3d2h`; below ten seconds `0.4s`."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f}s".replace(".0s", "s")
    seconds = round(seconds)
    for size, unit, smaller, smaller_unit in (
        (DAY_S, "d", 3600, "h"),
        (3600, "h", 60, "m"),
        (60, "m", 1, "s"),
    ):
        if seconds >= size:
            rest = seconds % size // smaller
            return f"{seconds // size}{unit}" + (f"{rest}{smaller_unit}" if rest else "")
    return f"{seconds}s"


def ago(seconds: float) -> str:
    """Write how long something is past: `12m ago`."""
    return "just now" if seconds < 1 else f"{brief(seconds)} ago"


def clock(at: float) -> str:
    """Write a time of day in local time."""
    return time.strftime("%H:%M:%S", there(at))


def local_time(at: float, now: float) -> str:
    """Write a moment in local time, with the date unless it is today."""
    moment, today = there(at), there(now)
    return time.strftime("%H:%M:%S" if moment[:3] == today[:3] else "%Y-%m-%d %H:%M:%S", moment)


def there(at: float) -> time.struct_time:
    """Return a moment in local time; one beyond the calendar, as damaged files name it, as the nearest in it."""
    return time.localtime(min(max(at, 0.0), LAST_S))
