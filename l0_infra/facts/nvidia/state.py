"""How one GPU does: temperatures, power, modes, clocks and what holds them back."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from l0_infra.facts.nvidia.words import LOST, count, flag, quantity, said
from l0_infra.schemas import Clocks, Condition, HeldBack, Throttle

__all__ = ["parse_clocks", "parse_condition"]

MHZ = 1_000_000

REASONS: dict[str, Throttle] = {
    "gpu_idle": "idle",
    "applications_clocks_setting": "application clocks",
    "sw_power_cap": "power cap",
    "hw_slowdown": "hardware slowdown",
    "hw_thermal_slowdown": "hardware thermal slowdown",
    "hw_therm_slowdown": "hardware thermal slowdown",
    "hw_power_brake_slowdown": "hardware power brake",
    "hw_power_brake": "hardware power brake",
    "sw_thermal_slowdown": "software thermal slowdown",
    "sw_therm_slowdown": "software thermal slowdown",
    "sync_boost": "sync boost",
    "display_clocks_setting": "display clocks",
}
"""The end of the element's name tells the reason; its beginning differs between versions."""


def parse_condition(gpu: Element) -> Condition:
    """Read temperatures, power and modes."""
    words = {leaf.text for leaf in gpu.iter()}
    return Condition(
        health=next((word for word in LOST if word in words), None),
        temperature_c=quantity(said(gpu, "temperature/gpu_temp"), "C"),
        memory_temperature_c=quantity(said(gpu, "temperature/memory_temp"), "C"),
        temperature_margin_c=_margin(gpu),
        power_w=_watts(gpu, "power_draw", "average_power_draw", "instant_power_draw"),
        power_limit_w=_watts(gpu, "current_power_limit", "enforced_power_limit", "power_limit"),
        power_limit_default_w=_watts(gpu, "default_power_limit"),
        persistence=flag(said(gpu, "persistence_mode")),
        compute_mode=said(gpu, "compute_mode"),
        addressing_mode=said(gpu, "addressing_mode"),
        recovery_action=said(gpu, "gpu_recovery_action") or _reset_status(gpu),
    )


def parse_clocks(gpu: Element) -> Clocks:
    """Read clock rates and what holds them back, now and in all."""
    return Clocks(
        core_hz=_hertz(gpu, "clocks/sm_clock", "clocks/graphics_clock"),
        core_max_hz=_hertz(gpu, "max_clocks/sm_clock", "max_clocks/graphics_clock"),
        memory_hz=_hertz(gpu, "clocks/mem_clock"),
        memory_max_hz=_hertz(gpu, "max_clocks/mem_clock"),
        held_back_by=_held_back_by(gpu),
        held_back_for=tuple(_held_back_for(gpu)) or None,
    )


def _margin(gpu: Element) -> float | None:
    """Return the degrees left; chips before Ada and Hopper tell the limit instead."""
    left = quantity(said(gpu, "temperature/gpu_temp_tlimit"), "C")
    limit = quantity(said(gpu, "temperature/gpu_temp_slow_threshold"), "C")
    now = quantity(said(gpu, "temperature/gpu_temp"), "C")
    return limit - now if left is None and limit is not None and now is not None else left


def _watts(gpu: Element, *names: str) -> float | None:
    groups = ("gpu_power_readings", "power_readings")
    watts = quantity(said(gpu, *(f"{group}/{name}" for group in groups for name in names)), "W")
    return None if watts is None or watts < 0 else watts


def _hertz(gpu: Element, *paths: str) -> int | None:
    rate = count(said(gpu, *paths), "MHz")
    return None if rate is None else rate * MHZ


def _reset_status(gpu: Element) -> str | None:
    """Say in the words of newer drivers what older ones tell by two flags."""
    if flag(said(gpu, "gpu_reset_status/reset_required")):
        return "Reset"
    if flag(said(gpu, "gpu_reset_status/drain_and_reset_recommended")):
        return "Drain and Reset"
    return "None" if flag(said(gpu, "gpu_reset_status/reset_required")) is False else None


def _held_back_by(gpu: Element) -> tuple[Throttle, ...] | None:
    told = [leaf for name in ("event", "throttle") for leaf in gpu.findall(f"clocks_{name}_reasons/*")]
    known = [(_reason(leaf.tag), value) for leaf in told if (value := flag(said(leaf, "."))) is not None]
    return tuple(dict.fromkeys(reason for reason, active in known if active)) if known else None


def _held_back_for(gpu: Element) -> Iterator[HeldBack]:
    for leaf in gpu.findall("clocks_event_reasons_counters/*"):
        microseconds = count(said(leaf, "."), "us")
        if microseconds is not None:
            yield HeldBack(reason=_reason(leaf.tag), total_s=microseconds / 1e6)


def _reason(tag: str) -> Throttle:
    name = tag.removeprefix("clocks_throttle_reason_").removeprefix("clocks_event_reason_")
    return REASONS.get(name.removeprefix("clocks_event_reasons_counters_"), "other")
