"""How long a run was at work: from each start to its end, without what it waited for, its queue, or a stop."""

from collections.abc import Iterator
from dataclasses import dataclass

from l3_modeltools.runs.happened import Happened

__all__ = ["Work", "find_work"]

BEGINS = ("started", "supervised", "spawned", "went_on")
ENDS = ("ended", "paused")


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """Seconds at work, None where no start is known; since when it is at work, None where it is not."""

    seconds: float | None = None
    since: float | None = None


def find_work(happened: Happened, *, stepped_at: float | None, now: float | None) -> Work:
    """Sum the stretches of work; `now` is given for a run that has processes, and ends the last stretch.

    One of which no end is known ends with the last sign of life before the next begins; `stepped_at` is one too.
    """
    tally = _Tally()
    for at, word in sorted(_moments(happened, stepped_at), key=lambda moment: moment[0]):
        tally.take(at, word)
    if not tally.begun:
        return Work()
    since = None if now is None else tally.since
    tally.close(tally.alive if now is None else now)
    return Work(seconds=tally.spent_s, since=since)


class _Tally:
    """The stretches so far, and the one that goes on."""

    def __init__(self) -> None:
        self.spent_s = 0.0
        self.since: float | None = None
        self.alive = 0.0
        """The last sign of life."""
        self.begun = ""
        """The word of the last begin."""

    def take(self, at: float, word: str) -> None:
        if word in ENDS:
            self.close(at)
        elif word == "started" or (word == "supervised" and self.begun != "started"):
            self.close(self.alive)
        if word in BEGINS:
            self.begun = word
            self.since = at if self.since is None else self.since
        self.alive = at

    def close(self, at: float) -> None:
        if self.since is not None:
            self.spent_s += max(0.0, at - self.since)
            self.since = None


def _moments(happened: Happened, stepped_at: float | None) -> Iterator[tuple[float, str]]:
    yield from ((at, "started") for at in happened.starts)
    yield from ((at, "ended") for at in happened.ends)
    yield from ((mark.at, mark.mark) for mark in happened.marks)
    if stepped_at is not None:
        yield stepped_at, "stepped"
