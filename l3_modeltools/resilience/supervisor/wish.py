"""A wish to end, as a signal brings it to the supervisor."""

import signal
from types import FrameType

__all__ = ["Wish"]


class Wish:
    """Hears SIGTERM and SIGINT from when it is made; `signal` is the first that came, 0 while none has."""

    def __init__(self) -> None:
        self.signal = 0
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.signal = self.signal or number
