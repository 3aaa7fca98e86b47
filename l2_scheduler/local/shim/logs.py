"""A task's output on disk: raw bytes, rotated by size, (offset, time) pairs beside, never in the task's way.

`task-R.log` is the newest file, `.1` the one before it, and so on; `task-R.times[.N]` holds for each a series
of pairs (u64 offset in the whole stream, f64 seconds since the epoch, little-endian), the first of which is
where the file starts. While a rotation is under way `task-R.times` is absent; then it starts at a higher
offset: a reader that finds the same start before and after has seen one state.
"""

from __future__ import annotations

import errno
import os
import struct
from math import inf

PAIR = struct.Struct("<Qd")
STEP_S = 0.010

_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


class TaskLog:
    """The log of one task. A full disk loses bytes, which are counted and told; it never blocks or raises."""

    def __init__(self, rank: int, *, rotate_bytes: int, keep: int, at: float) -> None:
        """Begin the first file at time `at`; raises OSError when even that is impossible."""
        self.lost = 0
        self._name = f"task-{rank}.log"
        self._times_name = f"task-{rank}.times"
        self._rotate_bytes = rotate_bytes
        self._keep = keep
        self._offset = 0
        self._size = 0
        self._stamped_at = -inf
        self._gap = 0
        self._why = ""
        self._notice = b""
        self._at_line_start = True
        self._times = os.open(self._times_name, _APPEND, 0o644)
        self._stamp(at)
        self._log = os.open(self._name, _APPEND, 0o644)

    def write(self, data: bytes, at: float) -> None:
        """Append what was read at time `at`; a file ends at a line's end where there is one."""
        rest = memoryview(data)
        while rest:
            cut = self._cut(rest, at)
            self._append(rest[:cut], at)
            rest = rest[cut:]

    def close(self, at: float) -> None:
        """Tell of bytes lost at the very end, if there is room again."""
        if self._gap or self._notice:
            self._stamp(at)
            self._told()
        os.close(self._log)
        os.close(self._times)

    def _cut(self, rest: memoryview, at: float) -> int:
        """Rotate if it is time; return how much goes into the file: whole lines, or what cannot be parted."""
        room = max(0, self._rotate_bytes - self._size)
        if len(rest) <= room:
            return len(rest)
        lines = bytes(rest[:room]).rfind(b"\n") + 1
        if lines:
            return lines
        if self._size and (self._at_line_start or not room) and self._rotate(at):
            return self._cut(rest, at)
        return room or len(rest)

    def _append(self, part: memoryview, at: float) -> None:
        if self._told() and part:
            self._stamp(at)
            self._lose(len(part) - self._put(part))
        else:
            self._lose(len(part))

    def _told(self) -> bool:
        """Whether the log says all there is to say about lost bytes; says it as far as there is room."""
        while self._gap or self._notice:
            notice = self._notice or self._compose()
            done = self._put(memoryview(notice))
            if done and not self._notice:
                self._gap = 0
            if done:
                self._notice = notice[done:]
            if done < len(notice):
                return False
        return True

    def _compose(self) -> bytes:
        start = "" if self._at_line_start else "\n"
        return f"{start}[ogai: {self._gap} bytes of output lost: {self._why}]\n".encode()

    def _put(self, part: memoryview) -> int:
        done = 0
        try:
            while done < len(part):
                done += os.write(self._log, part[done:])
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            self._why = "disk full" if full else os.strerror(error.errno or 0)
        if done:
            self._at_line_start = part[done - 1] == 10
        self._offset += done
        self._size += done
        return done

    def _lose(self, count: int) -> None:
        self._gap += count
        self.lost += count

    def _stamp(self, at: float) -> None:
        if abs(at - self._stamped_at) < STEP_S:
            return
        try:
            done = os.write(self._times, PAIR.pack(self._offset, at))
        except OSError:
            return
        if done < PAIR.size:
            os.ftruncate(self._times, os.fstat(self._times).st_size - done)
            return
        self._stamped_at = at

    def _rotate(self, at: float) -> bool:
        try:
            log, times = self._next_files(at)
        except OSError:
            return False
        self._shift()
        os.rename(self._name + ".new", self._name)
        os.rename(self._times_name + ".new", self._times_name)
        os.close(self._log)
        os.close(self._times)
        self._log, self._times, self._size, self._stamped_at = log, times, 0, at
        return True

    def _next_files(self, at: float) -> tuple[int, int]:
        times = os.open(self._times_name + ".new", _APPEND, 0o644)
        try:
            if os.write(times, PAIR.pack(self._offset, at)) < PAIR.size:
                raise OSError(errno.ENOSPC, "no room for a new log")
            return os.open(self._name + ".new", _APPEND, 0o644), times
        except OSError:
            os.close(times)
            os.unlink(self._times_name + ".new")
            raise

    def _shift(self) -> None:
        os.rename(self._times_name, self._times_name + ".0")
        os.rename(self._name, self._name + ".0")
        for number in reversed(range(self._keep)):
            for name in (self._name, self._times_name):
                if os.path.exists(f"{name}.{number}"):
                    os.rename(f"{name}.{number}", f"{name}.{number + 1}")
        if self._keep == 0:
            os.unlink(self._name + ".0")
            os.unlink(self._times_name + ".0")
