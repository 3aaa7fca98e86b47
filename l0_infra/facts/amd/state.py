"""How an AMD GPU does: temperatures, power, clocks, PCI Express, and into what it is cut."""

from l0_infra.facts.amd.documents import Entry
from l0_infra.facts.amd.throttle import held_back
from l0_infra.facts.amd.values import any_of, degrees, rate_hz, watts
from l0_infra.facts.json_value import Json, dig, keys, word
from l0_infra.facts.quantity import measured, told
from l0_infra.facts.tree import integer
from l0_infra.facts.vendor import text
from l0_infra.schemas import Clocks, Condition, Partition, Partitioning, PcieLink

__all__ = ["clocks", "condition", "partitioning", "pcie"]

GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
"""PCI Express generations by gigatransfers a second."""


def condition(entry: Entry) -> Condition | None:
    """Read temperatures, power and its limit; the hottest spot counts as the chip's temperature."""
    heat = dig(entry, "temperature")
    errors = text(word(dig(entry, "xgmi_err")))
    return told(
        Condition(
            error_codes=None if errors is None else () if errors.endswith("NO_ERRORS") else (errors,),
            temperature_c=degrees(any_of(heat, "hotspot", "junction", "edge")),
            memory_temperature_c=degrees(any_of(heat, "mem", "vram", "hbm_0")),
            power_w=watts(
                any_of(dig(entry, "power"), "socket_power", "current_socket_power", "average_socket_power")
            ),
            power_limit_w=watts(
                any_of(dig(entry, "limit"), "socket_power", "ppt0.socket_power_limit", "power_cap", "power")
            ),
        )
    )


def clocks(entry: Entry) -> Clocks | None:
    """Read the clocks of the first shader engine that runs, and of the memory."""
    shown = dig(entry, "clock")
    engines = [dig(shown, key) for key in sorted(keys(shown)) if key.startswith("gfx")]
    core = next((engine for engine in engines if _clock(engine, "clk", "cur_clk")), None)
    memory = dig(shown, "mem_0") or dig(shown, "mem")
    return told(
        Clocks(
            core_hz=_clock(core, "clk", "cur_clk"),
            core_max_hz=_clock(core, "max_clk"),
            memory_hz=_clock(memory, "clk", "cur_clk"),
            memory_max_hz=_clock(memory, "max_clk"),
            held_back_by=held_back(entry),
        )
    )


def pcie(entry: Entry) -> PcieLink | None:
    """Read generation and width now, and at most."""
    now, most = dig(entry, "pcie"), dig(entry, "bus")
    return told(
        PcieLink(
            generation=_generation(dig(now, "speed")),
            generation_max=_generation(dig(most, "max_pcie_speed")),
            width=integer(word(dig(now, "width"))) or None,
            width_max=integer(word(dig(most, "max_pcie_width"))) or None,
            replays=integer(word(dig(now, "replay_count"))),
        )
    )


def partitioning(entry: Entry) -> Partitioning | None:
    """Say whether the device is cut: the tool lists each part as a GPU, all but the first without their mode."""
    cut = dig(entry, "partition")
    mode = text(word(any_of(cut, "accelerator_partition", "compute_partition", "accelerator_type")))
    number = integer(word(any_of(cut, "partition_id"))) or 0
    if mode is None and not number:
        return None
    if mode == "SPX":
        return Partitioning(enabled=False)
    memory = text(word(dig(cut, "memory_partition")))
    profile = "/".join(part for part in (mode, memory) if part) or None
    return Partitioning(enabled=True, partitions=(Partition(id=str(number), profile=profile),))


def _clock(value: Json, *names: str) -> int | None:
    return rate_hz(any_of(value, *names))


def _generation(value: Json) -> int | None:
    rate = measured(word(value).removesuffix("GT/s"))
    return None if rate is None else GENERATIONS.get(rate)
