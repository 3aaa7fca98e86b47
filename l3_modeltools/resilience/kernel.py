"""The kernel's own log, read as it comes: what it says of killed processes, lost devices and failing disks."""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["KernelLine", "KernelLog", "open_kernel_log", "parse_kmsg"]

KMSG = Path("/dev/kmsg")
RECORD_BYTES = 8192
"""No record is longer; a shorter buffer would be refused."""

MOST_RECORDS = 4096
"""Read at once, so that a kernel that writes faster than it is read holds nobody up."""

HEAD = re.compile(r"\d+,\d+,(\d+),[^;\n]*;([^\n]*)")
ESCAPE = re.compile(r"\\x([0-9a-f]{2})")


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelLine:
    """One message of the kernel, and when it was written: seconds since the epoch."""

    at: float
    text: str


def parse_kmsg(record: str, *, booted_at: float) -> KernelLine | None:
    """Read one record of /dev/kmsg (`priority,sequence,microseconds,flags;text`); None: it is none.

    The lines that follow the first are properties of the device, and are left out.
    """
    head = HEAD.match(record)
    if head is None:
        return None
    text = ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), head[2])
    return KernelLine(at=booted_at + int(head[1]) / 1e6, text=text)


class KernelLog:
    """What the kernel writes from now on; `read` never waits."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        os.lseek(descriptor, 0, os.SEEK_END)

    def read(self) -> tuple[KernelLine, ...]:
        """Return what was written since the last call; what was overwritten meanwhile is missing."""
        booted_at = time.time() - time.monotonic()
        lines = (parse_kmsg(record, booted_at=booted_at) for record in self._records())
        return tuple(line for line in lines if line is not None)

    def close(self) -> None:
        os.close(self._descriptor)

    def _records(self) -> Iterator[str]:
        for _ in range(MOST_RECORDS):
            try:
                yield os.read(self._descriptor, RECORD_BYTES).decode(errors="replace")
            except BlockingIOError:
                return
            except BrokenPipeError:  # overwritten before it was read; the next read goes on after the gap
                continue


def open_kernel_log(path: Path = KMSG) -> KernelLog | None:
    """Open the kernel log at its end; None where this process may not read it, or there is none."""
    try:
        return KernelLog(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError:
        return None
