"""What holds back the clocks of an AMD GPU: the limits that it violates now."""

from collections.abc import Iterator, Mapping
from typing import get_args

from l0_infra.facts.amd.documents import Entry
from l0_infra.facts.json_value import Json, dig, items, word
from l0_infra.schemas import Throttle

__all__ = ["held_back"]

VIOLATIONS: Mapping[str, Throttle] = {
    "ppt_violation_status": "power cap",
    "gfx_clk_below_host_limit_power_violation_status": "power cap",
    "prochot_violation_status": "hardware thermal slowdown",
    "socket_thermal_violation_status": "hardware thermal slowdown",
    "vr_thermal_violation_status": "hardware thermal slowdown",
    "hbm_thermal_violation_status": "hardware thermal slowdown",
    "gfx_clk_below_host_limit_thermal_violation_status": "hardware thermal slowdown",
    "low_utilization_violation_status": "idle",
}


def held_back(entry: Entry) -> tuple[Throttle, ...] | None:
    """Read which limits are violated now; older versions only say whether any is."""
    active = {name: _active(dig(entry, "throttle", name)) for name in VIOLATIONS}
    if any(state is not None for state in active.values()):
        reasons = {VIOLATIONS[name] for name, state in active.items() if state}
        return tuple(reason for reason in get_args(Throttle) if reason in reasons)
    status = word(dig(entry, "power", "throttle_status"))
    if status == "THROTTLED":
        return ("other",)
    return () if status == "UNTHROTTLED" else None


def _active(value: Json) -> bool | None:
    """Read ACTIVE or NOT ACTIVE, of the whole GPU or of any of its parts."""
    states = [word for word in _words(value) if word in ("ACTIVE", "NOT ACTIVE")]
    return "ACTIVE" in states if states else None


def _words(value: Json, depth: int = 4) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth:
        for one in value.values() if isinstance(value, Mapping) else items(value):
            yield from _words(one, depth - 1)
