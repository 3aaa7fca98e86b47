"""A wall clock that can be set for some processes alone, by libfaketime (Debian package `faketime`)."""

import contextlib
from pathlib import Path

__all__ = ["MISSING", "fake_clock_library", "faked_clock", "set_clock", "sweep_faked_clocks"]

MISSING = "clock jump: skipped, needs libfaketime (apt-get install faketime)"


def fake_clock_library() -> Path | None:
    """Find libfaketime as it is for processes with threads.

    The other one now and then tells a thread the time that it does not fake, when another asks at the same moment.
    """
    places = (
        *Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"),
        Path("/usr/lib/faketime/libfaketimeMT.so.1"),
    )
    return next((path for path in places if path.exists()), None)


def faked_clock(library: Path, clock: Path) -> dict[str, str]:
    """Return the variables of processes whose wall clock, and that alone, the file `clock` sets."""
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def set_clock(clock: Path, offset_s: int) -> None:
    """Set the clock so many seconds ahead of the real one."""
    fresh = clock.with_suffix(".new")
    fresh.write_text(f"{offset_s:+d}\n")
    fresh.rename(clock)


def sweep_faked_clocks() -> None:
    """Remove what libfaketime leaves in shared memory of processes that were killed."""
    for path in Path("/dev/shm").glob("*faketime_s*_*"):
        pid = path.name.rpartition("_")[2]
        with contextlib.suppress(OSError):
            if not Path("/proc", pid).exists():
                path.unlink()
