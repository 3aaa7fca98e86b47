"""Each field of a GPU, in each place and form in which a version of the document has it."""

from operator import attrgetter

import pytest

from tests.support.nvidia_answers import LOG, document, found, gpu

DEPRECATED = "Requested functionality has been deprecated"


def element(path: str, value: str) -> str:
    """Write a value in the elements of a path."""
    names = path.split("/")
    return "".join(f"<{name}>" for name in names) + value + "".join(f"</{name}>" for name in reversed(names))


PCIE = "pci/pci_gpu_link_info"
ECC = "ecc_errors"
ROWS = "remapped_rows"
HISTOGRAM = f"{ROWS}/row_remapper_histogram/row_remapper_histogram_none"
# Field, element, what stands in it, what it means.
FIELDS = [
    ("model", "product_name", "NVIDIA H20", "NVIDIA H20"),
    ("model", "product_name", "Unknown Error", None),
    ("serial", "serial", "0123", "0123"),
    ("serial", "serial", "N/A", None),
    ("memory_bytes", "fb_memory_usage/total", "97871 MiB", 97871 * 2**20),
    ("memory_bytes", "fb_memory_usage/total", "97871", None),
    ("memory_bytes", "fb_memory_usage/total", "97871 GiB", None),
    ("memory_bytes", "fb_memory_usage/total", "GPU is lost", None),
    ("memory_bytes", "bar1_memory_usage/total", "131072 MiB", None),
    ("utilization_percent", "utilization/gpu_util", "37 %", 37.0),
    ("utilization_percent", "utilization/gpu_util", "137 %", None),
    ("pci", "pci/pci_bus_id", "00000009:01:00.0", "0009:01:00.0"),
    ("pci", "pci/pci_bus_id", "0000:C1:00.0", "0000:c1:00.0"),
    ("pci", "pci/pci_bus_id", "N/A", "0000:01:00.0"),
    ("device_file", "minor_number", "11", "/dev/nvidia11"),
    ("device_file", "minor_number", "N/A", None),
    ("board.module", "gpu_module_id", "6", 6),
    ("board.module", "platformInfo/module_id", "2", 2),
    ("board.part_number", "gpu_part_number", "2330-885-A1", "2330-885-A1"),
    ("condition.temperature_c", "temperature/gpu_temp", "71 C", 71.0),
    ("condition.temperature_c", "temperature/gpu_temp", "-3 C", -3.0),
    ("condition.memory_temperature_c", "temperature/memory_temp", "82 C", 82.0),
    ("condition.temperature_margin_c", "temperature/gpu_temp_tlimit", "-1 C", -1.0),
    ("condition.power_w", "power_readings/power_draw", "26.78 W", 26.78),
    ("condition.power_w", "gpu_power_readings/power_draw", "67.03 W", 67.03),
    ("condition.power_w", "gpu_power_readings/instant_power_draw", "399.17 W", 399.17),
    ("condition.power_w", "gpu_power_readings/power_draw", "[N/A]", None),
    ("condition.power_w", "gpu_power_readings/power_draw", "-5.00 W", None),
    ("condition.power_w", "module_power_readings/power_draw", "500.00 W", None),
    ("condition.power_limit_w", "power_readings/enforced_power_limit", "250.00 W", 250.0),
    ("condition.power_limit_w", "gpu_power_readings/current_power_limit", "650.00 W", 650.0),
    ("condition.power_limit_default_w", "gpu_power_readings/default_power_limit", "700.00 W", 700.0),
    ("condition.persistence", "persistence_mode", "Disabled", False),
    ("condition.compute_mode", "compute_mode", "Prohibited", "Prohibited"),
    ("condition.addressing_mode", "addressing_mode", "HMM", "HMM"),
    ("condition.recovery_action", "gpu_recovery_action", "Drain and Reset", "Drain and Reset"),
    ("condition.recovery_action", "gpu_reset_status/reset_required", "Yes", "Reset"),
    ("condition.recovery_action", "gpu_reset_status/reset_required", "No", "None"),
    ("condition.recovery_action", "gpu_reset_status/reset_required", DEPRECATED, None),
    ("condition.recovery_action", "gpu_reset_status/drain_and_reset_recommended", "Yes", "Drain and Reset"),
    ("condition.health", "utilization/gpu_util", "GPU is lost", "GPU is lost"),
    ("condition.health", "fan_speed", "Unknown Error", None),
    ("clocks.core_hz", "clocks/sm_clock", "1980 MHz", 1_980_000_000),
    ("clocks.core_hz", "clocks/graphics_clock", "345 MHz", 345_000_000),
    ("clocks.core_hz", "applications_clocks/graphics_clock", "1410 MHz", None),
    ("clocks.core_max_hz", "max_clocks/sm_clock", "2062 MHz", 2_062_000_000),
    ("clocks.memory_hz", "clocks/mem_clock", "0 MHz", 0),
    ("clocks.held_back_by", "clocks_throttle_reasons/clocks_throttle_reason_sync_boost", "Active", ("sync boost",)),
    ("clocks.held_back_by", "clocks_event_reasons/clocks_event_reason_hw_power_brake_slowdown", "Active",
     ("hardware power brake",)),
    ("clocks.held_back_by", "clocks_event_reasons/clocks_event_reason_reliability", "Active", ("other",)),
    ("clocks.held_back_by", "clocks_event_reasons/clocks_event_reason_gpu_idle", "Not Active", ()),
    ("clocks.held_back_by", "clocks_throttle_reasons/clocks_throttle_reason_gpu_idle", " Not Active", ()),
    ("clocks.held_back_by", "clocks_event_reasons", "N/A", None),
    ("ecc.enabled", "ecc_mode/current_ecc", "Enabled", True),
    ("ecc.pending", "ecc_mode/pending_ecc", "Disabled", False),
    ("ecc.corrected_volatile", f"{ECC}/volatile/single_bit/total", "12", 12),
    ("ecc.corrected_volatile", f"{ECC}/volatile/sram_correctable", "3", 3),
    ("ecc.uncorrected_volatile", f"{ECC}/volatile/double_bit/total", "1", 1),
    ("ecc.uncorrected_volatile", f"{ECC}/volatile/sram_uncorrectable", "2", 2),
    ("ecc.uncorrected_aggregate", f"{ECC}/aggregate/sram_uncorrectable_parity", "4", 4),
    ("ecc.uncorrected_aggregate", f"{ECC}/aggregate/sram_uncorrectable_secded", "5", 5),
    ("ecc.uncorrected_aggregate", f"{ECC}/aggregate/dram_uncorrectable", "6", 6),
    ("ecc.uncorrected_aggregate", f"{ECC}/aggregate/dram_uncorrectable", "N/A", None),
    ("ecc.sram_threshold_exceeded", f"{ECC}/aggregate/sram_threshold_exceeded", "Yes", True),
    ("ecc.uncorrected_sram_in", f"{ECC}/aggregate_uncorrectable_sram_sources/sram_pcie", "1", ("pcie",)),
    ("ecc.uncorrected_sram_in", f"{ECC}/aggregate_uncorrectable_sram_sources/sram_pcie", "N/A", None),
    ("memory_repair.repair_pending", f"{ECC}/tpc_repair_pending", "Yes", True),
    ("memory_repair.unrepairable", f"{ECC}/unrepairable_memory", "Yes", True),
    ("memory_repair.retired_pages_uncorrected", "retired_pages/double_bit_retirement/retired_count", "1", 1),
    ("memory_repair.retirement_pending", "retired_pages/pending_blacklist", "Yes", True),
    ("memory_repair.retirement_pending", "retired_pages/pending_retirement", "No", False),
    ("memory_repair.remapped_rows_uncorrected", f"{ROWS}/remapped_row_unc", "2", 2),
    ("memory_repair.remapped_rows_uncorrected", ROWS, "N/A", None),
    ("memory_repair.remapping_failed", f"{ROWS}/remapped_row_failure", "Yes", True),
    ("memory_repair.remapping_pending", "remapped_banks/bank_remapper_pending", "Yes", True),
    ("memory_repair.banks_without_spare", HISTOGRAM, "1 bank(s)", 1),
    ("pcie.generation", f"{PCIE}/pcie_gen/current_link_gen", "1", 1),
    ("pcie.generation_max", f"{PCIE}/pcie_gen/max_link_gen", "5", 5),
    ("pcie.generation_max", f"{PCIE}/pcie_gen/max_host_link_gen", "5", None),
    ("pcie.generation_device_max", f"{PCIE}/pcie_gen/max_device_link_gen", "6", 6),
    ("pcie.width", f"{PCIE}/link_widths/current_link_width", "8x", 8),
    ("pcie.width_max", f"{PCIE}/link_widths/max_link_width", "16x", 16),
    ("pcie.replays", "pci/replay_counter", "0", 0),
    ("fabric.state", "fabric/state", "In Progress", "In Progress"),
    ("fabric.state", "fabric/state", "N/A", None),
    ("fabric.status", "fabric/status", "Insufficient Resources", "Insufficient Resources"),
    ("fabric.cluster", "fabric/clusterUuid", "00000000-0000-0000-0000-000000000000", None),
    ("fabric.cluster", "fabric/clusterUuid", "00000000-0000-0000-0000-0000000000ab",
     "00000000-0000-0000-0000-0000000000ab"),
    ("fabric.health", "fabric/health/summary", "Limited Capacity", "Limited Capacity"),
    ("partitioning.enabled", "mig_mode/current_mig", "Enabled", True),
    ("partitioning.pending", "mig_mode/pending_mig", "Disabled", False),
    ("partitioning.enabled", "mig_mode/current_mig", "N/A", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "path", "value", "expected"),
    FIELDS,
    ids=[f"{path.rpartition('/')[2]}={value[:12]}" for _, path, value, _ in FIELDS],
)
def test_field(field: str, path: str, value: str, expected: object) -> None:
    found = gpu(element(path, value))
    part, _, name = field.rpartition(".")
    holder = attrgetter(part)(found) if part else found
    assert (None if holder is None else getattr(holder, name)) == expected


def test_every_value_that_stands_for_none_is_none() -> None:
    words = ("N/A", "[N/A]", "[Not Supported]", "ERR!", "Unknown Error", "Unknown", "-", "", DEPRECATED)
    words += ("Insufficient Permissions", "Function Not Found", "GPU requires reset")
    for _, path, _, _ in FIELDS:
        for word in words:
            one = gpu(element(path, word))
            health = one.condition.health if one.condition else None
            assert health == (word if word == "GPU requires reset" else None)
            assert (
                one.memory_bytes
                is one.serial
                is one.ecc
                is one.pcie
                is one.memory_repair
                is one.clocks
                is None
            )


def test_temperature_left_is_counted_from_the_limit_where_it_is_not_told() -> None:
    told = gpu(
        element(
            "temperature", "<gpu_temp>91 C</gpu_temp><gpu_temp_slow_threshold>89 C</gpu_temp_slow_threshold>"
        )
    )
    assert told.condition is not None and told.condition.temperature_margin_c == -2.0


def test_one_count_that_cannot_be_read_makes_the_sum_unknown_and_one_that_is_not_kept_does_not() -> None:
    counts = "<sram_correctable>{}</sram_correctable><dram_correctable>7</dram_correctable>"
    for word, total in (("N/A", 7), ("2", 9), ("Unknown Error", None), ("ERR!", None)):
        ecc = gpu(element("ecc_errors/volatile", counts.format(word))).ecc
        assert (ecc and ecc.corrected_volatile) == total


def test_times_that_clocks_were_held_back_keep_their_reason() -> None:
    names = ("sw_power_cap", "hw_therm_slowdown", "hw_power_brake")
    counters = "".join(
        element(f"clocks_event_reasons_counters_{name}", f"{n}500000 us") for n, name in enumerate(names)
    )
    clocks = gpu(element("clocks_event_reasons_counters", counters)).clocks
    assert clocks is not None and clocks.held_back_for is not None
    told = [(one.reason, one.total_s) for one in clocks.held_back_for]
    assert told == [("power cap", 0.5), ("hardware thermal slowdown", 1.5), ("hardware power brake", 2.5)]


PROCESS = (
    "<process_info><pid>{}</pid><process_name>{}</process_name><used_memory>{}</used_memory></process_info>"
)


@pytest.mark.parametrize(
    ("within", "expected"),
    [
        ("<processes></processes>", []),
        ("<processes>\n\t\t</processes>", []),
        ("<processes>N/A</processes>", None),
        ("<processes>Insufficient Permissions</processes>", None),
        ("", None),
        (f"<processes>{PROCESS.format(71, '/opt/bin/torchrun --key s', '12 MiB')}</processes>", [(71, "torchrun")]),
        (f"<processes>{PROCESS.format(72, '[Not Found]', 'N/A')}</processes>", [(72, None)]),
        (f"<processes>{PROCESS.format('N/A', 'python', '12 MiB')}</processes>", None),
        ("<processes></processes><utilization><gpu_util>GPU is lost</gpu_util></utilization>", None),
    ],
)  # fmt: skip
def test_who_holds_it_is_known_or_said_to_be_unknown(
    within: str, expected: list[tuple[int, str]] | None
) -> None:
    told = gpu(within).processes
    assert (None if told is None else [(one.pid, one.name) for one in told]) == expected


@pytest.mark.parametrize(
    ("health", "expected"),
    [
        ("<route_unhealthy>True</route_unhealthy>", ("route unhealthy",)),
        ("<access_timeout_recovery>True</access_timeout_recovery>", ("access timeout recovery",)),
        ("<bandwidth>Degraded</bandwidth>", ("bandwidth Degraded",)),
        ("<bandwidth>Full</bandwidth><route_unhealthy>N/A</route_unhealthy>", ()),
        ("<incorrect_configuration>None</incorrect_configuration>", ()),
        ("<partition_assigned>N/A</partition_assigned>", ()),
        ("<partition_assigned>False</partition_assigned>", ("no partition assigned",)),
    ],
)
def test_the_fabric_s_health_in_words(health: str, expected: tuple[str, ...]) -> None:
    fabric = gpu(element("fabric", f"<state>Completed</state><health>{health}</health>")).fabric
    assert fabric is not None and fabric.complaints == expected


def test_partitions_without_a_listing_have_no_name() -> None:
    device = element(
        "mig_device",
        "<index>0</index><gpu_instance_id>2</gpu_instance_id><compute_instance_id>1</compute_instance_id>",
    )
    partitioning = gpu(element("mig_devices", device)).partitioning
    assert partitioning is not None
    assert [(one.id, one.uuid, one.memory_bytes) for one in partitioning.partitions] == [("2/1", None, None)]


def test_partitions_that_share_a_number_are_given_no_name() -> None:
    one = "<index>{}</index><gpu_instance_id>{}</gpu_instance_id><compute_instance_id>0</compute_instance_id>"
    devices = "".join(element("mig_device", one.format(index, gi)) for index, gi in ((0, 1), (0, 2), (1, 3)))
    listing = "GPU 0: NVIDIA H100 (UUID: GPU-7)\n" + "".join(
        f"  MIG 1g.10gb     Device  {n}: (UUID: MIG-{n})\n" for n in range(2)
    )
    within = "<uuid>GPU-7</uuid>" + element("mig_devices", devices)
    (only,) = found({LOG: document(within), "nvidia-smi-L.txt": listing}).accelerators
    assert only.partitioning is not None
    assert [(part.id, part.uuid) for part in only.partitioning.partitions] == [
        ("1/0", None),
        ("2/0", None),
        ("3/0", "MIG-1"),
    ]
