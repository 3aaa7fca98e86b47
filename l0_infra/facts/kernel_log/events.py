"""What a log tells becomes events: one for each thing, device and number, told so and so often."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from l0_infra.facts.kernel_log.catalogue import Catalogue, Sighting, load_events
from l0_infra.facts.kernel_log.lines import Line
from l0_infra.facts.kernel_log.log import KernelLog, in_order
from l0_infra.schemas import KernelEvent

__all__ = ["find_events"]

SHOWN = 400
"""Characters of a line that are shown."""


def find_events(log: KernelLog) -> tuple[KernelEvent, ...] | None:
    """Return what the log tells that matters, in the order of its last telling; None when it was not read."""
    lines = log.lines
    if not lines:
        return None if lines is None else ()
    seen = list(_known().find([line.text for line in lines]))
    together: dict[tuple[str, str | None, int | None], list[Sighting]] = {}
    for number in in_order([lines[one.lines[0]] for one in seen]):
        key = (_name(seen[number]), seen[number].device, seen[number].code)
        same = together.pop(key, [])
        same.append(seen[number])
        together[key] = same
    return tuple(_event(same, [lines[one.lines[0]] for one in same]) for same in together.values())


@cache
def _known() -> Catalogue:
    return Catalogue(load_events())


def _name(one: Sighting) -> str:
    return one.event.name.replace("{code}", str(one.code))


def _event(same: Sequence[Sighting], lines: Sequence[Line]) -> KernelEvent:
    known = same[-1].event
    return KernelEvent(
        name=_name(same[-1]),
        severity=known.severity,
        device=same[-1].device,
        code=same[-1].code,
        count=len(same),
        first_at=_of(min, (line.at for line in lines)),
        last_at=_of(max, (line.at for line in lines)),
        first_uptime_s=_of(min, (line.uptime_s for line in lines)),
        last_uptime_s=_of(max, (line.uptime_s for line in lines)),
        text=lines[-1].text.strip()[:SHOWN],
        meaning=known.meaning,
        action=known.action,
        advice=known.advice,
        source=known.source,
    )


def _of(pick: Callable[[list[float]], float], times: Iterable[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return pick(known) if known else None
