"""What `parse_amd` makes of any subset of the sources and of every shape of their values, one trait a test."""

import json

import msgspec
import pytest

from l0_infra.facts.amd import SOURCES, parse_amd
from l0_infra.facts.bundle import ABSENT, HUNG, Answer
from l0_infra.facts.vendor import Found

MIB = 2**20


def amd(**said: object) -> Found:
    """Answers by the names of their files, with `_` for `-` and without `.json`; what is no text is written as JSON."""
    answers: dict[str, Answer] = {source.name: ABSENT for source in SOURCES}
    for word, answer in said.items():
        name = f"{word.replace('_', '-')}.json"
        assert name in answers
        if not isinstance(answer, Answer):
            text = answer if isinstance(answer, str) else json.dumps(answer)
            answer = Answer(end="exit", code=0, out=text)
        answers[name] = answer
    return parse_amd(answers)


def one(**entry: object) -> object:
    """The only GPU of a file that somebody gathered, as JSON has it."""
    (found,) = amd(amd_smi=[{"gpu": 0, **entry}]).accelerators
    return json.loads(msgspec.json.encode(found))


def at(value: object, path: str) -> object:
    for key in path.split("."):
        value = value[key] if isinstance(value, dict) else None
    return value


def unit(value: object, name: str) -> dict[str, object]:
    return {"value": value, "unit": name}


def test_nothing_installed_is_no_accelerator_and_no_fault() -> None:
    assert amd() == Found()


# A part of an entry, and the fields that it fills.
TOLD: list[tuple[dict[str, object], dict[str, object]]] = [
    (
        {"asic": {"market_name": "N/A"}, "board": {"product_name": "Instinct MI210"}},
        {"model": "Instinct MI210"},
    ),
    ({"asic": {"market_name": "Aqua"}, "board": {"product_name": "X"}}, {"model": "Aqua"}),
    ({"vram": {"size": unit(65520, "MB")}}, {"memory_bytes": 65520 * MIB}),
    ({"vram": {"size": unit(64, "GB")}}, {"memory_bytes": 64 * 2**30}),
    ({"vram": {"vram_size_mb": 16368}}, {"memory_bytes": 16368 * MIB}),
    ({"vram": {"size": "65520 MB"}}, {"memory_bytes": 65520 * MIB}),
    ({"vram": {"size": unit("N/A", "MB")}}, {"memory_bytes": None}),
    ({"vram": {"size": unit(-1, "MB")}}, {"memory_bytes": None}),
    ({"vram": {"size": [65520]}}, {"memory_bytes": None}),
    ({"mem_usage": {"total_vram": unit(100, "MB"), "used_vram": unit(0, "MB")}}, {"memory_used_bytes": 0}),
    ({"usage": {"gfx_activity": 55}}, {"utilization_percent": 55.0}),
    ({"usage": {"gfx_activity": unit(65535, "%")}}, {"utilization_percent": None}),
    ({"usage": {"gfx_activity": "N/A", "gfx_usage": "8 %"}}, {"utilization_percent": 8.0}),
    ({"bdf": "0000:F5:00.0"}, {"pci": "0000:f5:00.0"}),
    ({"bdf": "somewhere"}, {"pci": None}),
    ({"board": {"product_serial": "PCB0077"}}, {"serial": "PCB0077"}),
    ({"vbios": {"part_number": "113-D673"}}, {"firmware_version": "113-D673"}),
    ({"ifwi": {"version": "N/A", "part_number": "113-M3"}}, {"firmware_version": "113-M3"}),
    ({"numa": {"node": 1}}, {"numa_node": 1}),
    ({"numa": {"node": -1}}, {"numa_node": None}),
    ({"temperature": {"edge": unit(40, "C"), "hotspot": unit(61, "C")}}, {"condition.temperature_c": 61.0}),
    ({"temperature": {"edge": "40 °C", "junction": "N/A"}}, {"condition.temperature_c": 40.0}),
    ({"temperature": {"hotspot": unit(141, "F")}}, {"condition": None}),
    ({"temperature": {"hotspot": 65535}}, {"condition": None}),
    ({"power": {"socket_power": unit(0, "W")}}, {"condition.power_w": 0.0}),
    ({"power": {"average_socket_power": "310.5 W"}}, {"condition.power_w": 310.5}),
    ({"power": {"socket_power": unit(310, "mW")}}, {"condition": None}),
    ({"limit": {"socket_power": unit(560, "W")}}, {"condition.power_limit_w": 560.0}),
    ({"limit": {"ppt0": {"socket_power_limit": 1000}}}, {"condition.power_limit_w": 1000.0}),
    (
        {"clock": {"gfx_0": {"clk": "N/A"}, "gfx_3": {"clk": unit(900, "MHz")}}},
        {"clocks.core_hz": 900_000_000},
    ),
    ({"clock": {"mem_0": {"max_clk": unit(1900, "MHz")}}}, {"clocks.memory_max_hz": 1_900_000_000}),
    (
        {"ecc": {"total_correctable_count": 0, "total_uncorrectable_count": 3}},
        {"ecc.uncorrected_volatile": 3},
    ),
    (
        {"ecc_blocks": {"UMC": {"correctable_count": 2}, "GFX": {"correctable_count": 4}}},
        {"ecc.corrected_volatile": 6},
    ),
    ({"ecc": "N/A", "ecc_blocks": "N/A"}, {"ecc": None}),
    ({"ras": {"ecc_block_state": {"UMC": "DISABLED"}}}, {"ecc.enabled": False}),
    ({"retired": "No bad pages found."}, {"memory_repair.retired_pages_uncorrected": 0}),
    ({"retired": {"page_address": "0x1"}}, {"memory_repair.retired_pages_uncorrected": 1}),
    ({"pending": [{}, {}]}, {"memory_repair.retirement_pending": True}),
    ({"pending": "Not supported"}, {"memory_repair": None}),
    ({"pcie": {"width": 16, "speed": unit(16, "GT/s")}}, {"pcie.generation": 4, "pcie.width": 16}),
    ({"pcie": {"width": 0, "speed": unit(17, "GT/s")}}, {"pcie": None}),
    (
        {"bus": {"max_pcie_speed": "32.0 GT/s", "max_pcie_width": 16}},
        {"pcie.generation_max": 5, "pcie.width_max": 16},
    ),
    ({"power": {"throttle_status": "UNTHROTTLED"}}, {"clocks.held_back_by": []}),
    ({"power": {"throttle_status": "N/A"}}, {"clocks": None}),
    ({"throttle": {"ppt_violation_status": "NOT ACTIVE"}}, {"clocks.held_back_by": []}),
    (
        {"throttle": {"low_utilization_violation_status": {"xcp_1": ["N/A", "ACTIVE"]}}},
        {"clocks.held_back_by": ["idle"]},
    ),
    ({"throttle": {"ppt_violation_status": "N/A"}}, {"clocks": None}),
    ({"partition": {"compute_partition": "SPX"}}, {"partitioning.enabled": False}),
    ({"partition": {"accelerator_partition": "DPX", "partition_id": "1"}}, {"partitioning.enabled": True}),
    ({"partition": {"accelerator_partition": "N/A", "partition_id": 0}}, {"partitioning": None}),
    ({"process_list": []}, {"processes": []}),
    ({"process_list": "N/A"}, {"processes": []}),
    (
        {
            "process_list": [
                {"pid": 31, "name": "/opt/venv/bin/python3", "mem_usage": unit(7, "MB")},
                {"pid": "N/A"},
            ]
        },
        {"processes": [{"pid": 31, "memory_bytes": 7 * MIB, "name": "python3"}]},
    ),
]


@pytest.mark.parametrize(("entry", "fields"), TOLD, ids=[json.dumps(entry)[:60] for entry, _ in TOLD])
def test_what_an_entry_tells(entry: dict[str, object], fields: dict[str, object]) -> None:
    found = one(**entry)
    for path, value in fields.items():
        assert at(found, path) == value, path


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("ppt", "power cap"),
        ("gfx_clk_below_host_limit_power", "power cap"),
        ("prochot", "hardware thermal slowdown"),
        ("socket_thermal", "hardware thermal slowdown"),
        ("vr_thermal", "hardware thermal slowdown"),
        ("hbm_thermal", "hardware thermal slowdown"),
        ("gfx_clk_below_host_limit_thermal", "hardware thermal slowdown"),
        ("low_utilization", "idle"),
    ],
)
def test_a_limit_that_is_violated_now_is_what_holds_the_clocks_back(limit: str, reason: str) -> None:
    throttle = {f"{limit}_violation_status": "ACTIVE", f"{limit}_accumulated": 12}
    assert at(one(throttle=throttle), "clocks.held_back_by") == [reason]


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda entry: [entry],
        lambda entry: {"gpu_data": [entry]},
        lambda entry: {"metric": [[entry]]},
        lambda entry: entry,
    ],
)
@pytest.mark.parametrize("named", [{"gpu": 3}, {"gpu": "3"}, {"gpu": "GPU3"}, {"gpu_id": 3}])
def test_an_entry_is_found_however_it_is_wrapped(wrapped: object, named: dict[str, object]) -> None:
    assert callable(wrapped)
    (found,) = amd(amd_smi=wrapped({**named, "usage": {"gfx_activity": 12}})).accelerators
    assert (found.index, found.utilization_percent) == (3, 12.0)


def test_outputs_one_after_the_other_among_warnings_are_merged() -> None:
    static = json.dumps(
        [{"gpu": 0, "asic": {"market_name": "N/A"}}, {"gpu": 1, "asic": {"market_name": "B"}}], indent=2
    )
    metric = json.dumps(
        {"gpu_data": [{"gpu": 0, "asic": {"market_name": "A"}, "usage": {"gfx_activity": 9}}]}
    )
    found = amd(amd_smi=f"$ amd-smi static --json\n{static}\nWARNING: [sudo] is needed\n{metric}\n")
    assert [(gpu.model, gpu.utilization_percent) for gpu in found.accelerators] == [("A", 9.0), ("B", None)]
    assert found.unread == ()


def test_what_came_whole_of_an_output_that_was_cut_off_counts_and_the_cut_is_told() -> None:
    text = json.dumps([{"gpu": at, "usage": {"gfx_activity": at}} for at in range(4)], indent=1)
    found = amd(amd_smi_metric=text[: text.index('"gpu": 3')])
    assert [gpu.utilization_percent for gpu in found.accelerators] == [0.0, 1.0, 2.0]
    assert [(fault.what, fault.reason) for fault in found.unread] == [("amd-smi metric", "garbled")]


@pytest.mark.parametrize(
    "text",
    ["ERROR: DRM is not loaded", "[" * 100_000, '[{"gpu": 0, "x": ' * 3000, '[{"gpu": 1' + "0" * 5000 + "}]"],
)
def test_what_is_no_json_is_told(text: str) -> None:
    found = amd(amd_smi_static=text)
    assert found.accelerators == ()
    (fault,) = found.unread
    assert (fault.what, fault.reason) == ("amd-smi static", "garbled") and fault.detail in text


def test_an_optional_part_that_fails_is_no_fault_but_one_that_hangs_is() -> None:
    found = amd(
        amd_smi_static=[{"gpu": 0}],
        amd_smi_xgmi=Answer(end="exit", code=1, err="Command 'xgmi' is not supported"),
        amd_smi_bad_pages=HUNG,
        amd_smi_metric=Answer(end="exit", code=2, err="AMDSMI_STATUS_BUSY"),
    )
    assert [(fault.what, fault.reason) for fault in found.unread] == [
        ("amd-smi metric", "failed"),
        ("amd-smi bad-pages", "hung"),
    ]


PEERS = [
    {"gpu": 0, "bdf": "0000:05:00.0", "link_type": "SELF"},
    {"gpu": 1, "bdf": "0000:26:00.0", "link_type": "XGMI"},
]


@pytest.mark.parametrize(
    ("entry", "links"),
    [
        ({"links": PEERS}, [(1, None, None)]),
        ({"links": [PEERS[0], PEERS[1] | {"link_type": "PCIE"}]}, None),
        ({"links": PEERS, "link_status": ["SELF", "U/U"]}, [(1, True, None)]),
        ({"links": PEERS, "link_status": ["SELF", "U/D"]}, [(1, False, None)]),
        ({"links": PEERS, "link_status": ["SELF", "X"]}, [(1, None, None)]),
        (
            {"link_metrics": {"max_bandwidth": "512 Gb/s", "link_type": "XGMI", "links": [{"gpu": 1}]}},
            [(1, None, 64e9)],
        ),
        ({"link_status": ["U", "D", "X", "U"]}, [(0, True, None), (1, False, None), (3, True, None)]),
        ({"link_status": "N/A", "links": "N/A"}, None),
    ],
)
def test_links(entry: dict[str, object], links: list[tuple[int, bool | None, float | None]] | None) -> None:
    (found,) = amd(amd_smi=[{"gpu": 0, **entry}]).accelerators
    told = found.links and [(link.index, link.active, link.bandwidth_bytes_per_s) for link in found.links]
    assert told == links
    known = links and all(active is not None for _, active, _ in links)
    assert found.links_up == (sum(bool(active) for _, active, _ in links or ()) if known else None)


def test_versions_of_the_tool_stand_in_for_files() -> None:
    tool = [{"tool": "AMDSMI Tool", "version": "24.6.2", "rocm_version": "6.2.0", "amdgpu_version": "N/A"}]
    assert [(one.name, one.software_version) for one in amd(amd_smi=tool).software] == [("rocm", "6.2.0")]


def test_rocm_smi_counts_only_where_amd_smi_says_nothing() -> None:
    cards = {
        "card0": {"Card series": "Old", "GPU use (%)": "5"},
        "system": {"PID4711": "python3, 1, 0, 0, unknown"},
    }
    (old,) = amd(rocm_smi=cards).accelerators
    assert old.processes is not None and [process.pid for process in old.processes] == [4711]
    assert old.model == "Old"
    (new,) = amd(rocm_smi=cards, amd_smi_list=[{"gpu": 0}]).accelerators
    assert new.model is None
