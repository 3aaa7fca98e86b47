"""Check again and again: what changed since the time before is told, and no failure ends the watch."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from l0_infra.core.errors import OgaiError
from l1_podsys.schemas import Health, Verdict

__all__ = ["Round", "watch_health"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """One round: the health, or why there is none, and what changed since the last round that had one."""

    health: Health | None = None
    failure: OgaiError | None = None
    worse: tuple[Verdict, ...] = ()
    """Critical now and not before."""
    mended: tuple[Verdict, ...] = ()
    """Critical before and not now, as they are now."""


def watch_health(
    check: Callable[[], Health], *, every_s: float, sleep: Callable[[float], None] = time.sleep
) -> Iterator[Round]:
    """Yield a round, rest, and so on; the caller ends it by not asking for the next."""
    before: Health | None = None
    while True:
        try:
            now = check()
        except OgaiError as error:
            yield Round(failure=error)
        else:
            yield Round(health=now, worse=_newly(before, now), mended=_mended(before, now))
            before = now
        sleep(every_s)


def _critical(health: Health | None) -> dict[tuple[str, str], Verdict]:
    verdicts = () if health is None else health.verdicts
    return {(one.node, one.check): one for one in verdicts if one.severity == "critical"}


def _newly(before: Health | None, now: Health) -> tuple[Verdict, ...]:
    known = _critical(before)
    return tuple(one for key, one in _critical(now).items() if key not in known)


def _mended(before: Health | None, now: Health) -> tuple[Verdict, ...]:
    """Return what was critical and is well now; of a rule, which is told only when it is broken, the old verdict."""
    still = _critical(now)
    judged = {(one.node, one.check): one for one in now.verdicts if one.severity in ("ok", "warning")}
    looked = {one.node for one in now.verdicts}
    return tuple(
        judged.get(key, old)
        for key, old in _critical(before).items()
        if key not in still and (key in judged or (old.node in looked and _of_rules(old)))
    )


def _of_rules(verdict: Verdict) -> bool:
    return verdict.check.startswith(("node.", "class."))
