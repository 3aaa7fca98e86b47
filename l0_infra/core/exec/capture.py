"""Keep a bounded part of an unbounded output: its head and its tail, which is where the news are."""

__all__ = ["Capture"]

_SLACK_BYTES = 65536


class Capture:
    """Takes bytes without end and keeps `limit_bytes` of them, half from the head, half from the tail."""

    def __init__(self, limit_bytes: int) -> None:
        self._head_limit = limit_bytes // 2
        self._tail_limit = limit_bytes - self._head_limit
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        """Take the next piece."""
        self._total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._tail_limit + _SLACK_BYTES:
            del self._tail[: -self._tail_limit or None]

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return self._total > self._head_limit + self._tail_limit

    def value(self) -> bytes:
        """Return what was kept; where something is missing, a line counts it."""
        if not self.truncated:
            return bytes(self._head + self._tail)
        left_out = self._total - self._head_limit - self._tail_limit
        tail = self._tail[len(self._tail) - self._tail_limit :]
        return bytes(self._head + b"\n[%d bytes left out]\n" % left_out + tail)
