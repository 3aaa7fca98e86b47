"""How far the nodes' clocks are apart: each is asked for its time, and half the way there and back is allowed for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Command, Runner
from l0_infra.schemas import ClockState
from l1_podsys.gates.catalogue import Severity, verdict
from l1_podsys.schemas import Verdict

__all__ = ["Offset", "judge_clock_service", "judge_offsets", "probe_offset"]

ROUNDS = 3
WARN_S = 0.1
CRITICAL_S = 1.0
NOW = Command(argv=("date", "+%s.%N"), deadline_s=10)


@dataclass(frozen=True, kw_only=True, slots=True)
class Offset:
    """A node's clock less ours, in seconds; the truth lies within `error_s` of it."""

    seconds: float
    error_s: float


def probe_offset(runner: Runner, now: Callable[[], float]) -> Offset | None:
    """Ask for the time some rounds and keep the quickest; None when the node tells none."""
    found = [offset for _ in range(ROUNDS) if (offset := _round(runner, now)) is not None]
    return min(found, key=lambda offset: offset.error_s, default=None)


def _round(runner: Runner, now: Callable[[], float]) -> Offset | None:
    sent = now()
    outcome = runner.run(NOW)
    received = now()
    try:
        told = float(outcome.check().stdout)
    except (RemoteError, ValueError):
        return None
    return Offset(seconds=told - (sent + received) / 2, error_s=(received - sent) / 2)


def judge_offsets(offsets: Mapping[str, Offset | None], head: str) -> tuple[Verdict, ...]:
    """Judge each clock against the middle one of at least three, of two against the head's.

    A difference counts only as far as it is sure: what the way may have taken is subtracted.
    """
    known = {node: offset for node, offset in offsets.items() if offset is not None}
    if not known:
        return tuple(verdict(node, "time.offset", "unknown", "it told no time") for node in offsets)
    middle = _middle(known, head)
    return tuple(_judge(node, offset, middle) for node, offset in offsets.items())


def _middle(known: Mapping[str, Offset], head: str) -> Offset:
    if len(known) < 3 and head in known:
        return known[head]
    seconds = median(offset.seconds for offset in known.values())
    return min(known.values(), key=lambda offset: abs(offset.seconds - seconds))


def _judge(node: str, offset: Offset | None, middle: Offset) -> Verdict:
    if offset is None:
        return verdict(node, "time.offset", "unknown", "it told no time")
    apart = offset.seconds - middle.seconds
    error = 0.0 if offset is middle else offset.error_s + middle.error_s
    sure = abs(apart) - error
    severity: Severity = "critical" if sure > CRITICAL_S else "warning" if sure > WARN_S else "ok"
    return verdict(node, "time.offset", severity, f"{apart:+.3f} s (± {error:.3f} s)")


def judge_clock_service(node: str, clock: ClockState) -> Verdict:
    """Judge what the keeper of the clock says itself."""
    if clock.service is None:
        return verdict(node, "time.service", "warning", "nothing keeps the clock", hint="apt install chrony")
    words = f"{clock.service}, source {clock.source or 'unknown'}"
    if clock.offset_s is not None:
        words += f", {clock.offset_s * 1e3:+.3f} ms by its own word"
    if clock.synchronised is None:
        return verdict(
            node, "time.service", "unknown", f"{words}: it does not say whether it is synchronised"
        )
    if not clock.synchronised:
        return verdict(node, "time.service", "warning", f"{words}: not synchronised")
    return verdict(node, "time.service", "ok", words)
