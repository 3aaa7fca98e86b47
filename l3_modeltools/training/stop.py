"""A wish to end, as a signal brings it: kept until the ranks have agreed on a step after which they save and go."""

import signal
from types import FrameType

__all__ = ["StopWish"]


class StopWish:
    """Hears SIGTERM and SIGINT from when it is made; `signal` is what came first, 0 while none has.

    A second one changes nothing: torchrun passes on what the engine has already sent to every process.
    """

    def __init__(self) -> None:
        self.signal = 0
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hear)

    def is_wished(self) -> bool:
        """Say whether this rank was told to end."""
        return self.signal != 0

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.signal = self.signal or number
