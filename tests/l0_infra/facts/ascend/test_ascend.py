"""What `parse_ascend` makes of any subset of the sources, one trait a test."""

import json
from collections.abc import Mapping

import msgspec
import pytest

from l0_infra.facts.ascend import SOURCES, parse_ascend
from l0_infra.facts.bundle import ABSENT, HUNG, Answer
from l0_infra.facts.vendor import Found

MIB = 2**20

TWO_CARDS = """\
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 3     910B3               | OK            | 91.6        37                0    / 0             |
| 0                         | 0000:C1:00.0  | 2           0    / 0          3372 / 65536         |
+===========================+===============+====================================================+
| 5     910B3               | OK            | 93.1        38                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3370 / 65536         |
+===========================+===============+====================================================+
"""

SHUFFLED = """\
NPU ID    Chip ID   Chip Logic ID   Chip Phy-ID   Chip Name
3         0         1               6             Ascend 910B3
5         0         0               4             Ascend 910B3
"""


def ascend(**said: str | Answer) -> Found:
    """Answers by the names of their files, with `_` for `-` and without `.txt`."""
    answers: dict[str, Answer] = {source.name: ABSENT for source in SOURCES}
    for word, answer in said.items():
        name = f"{word.replace('_', '-')}.txt"
        assert name in answers
        answers[name] = answer if isinstance(answer, Answer) else Answer(end="exit", code=0, out=answer)
    return parse_ascend(answers)


def test_nothing_installed_is_no_accelerator_and_no_fault() -> None:
    assert ascend() == Found()


def test_the_logic_id_is_the_index_and_what_tells_none_counts_up() -> None:
    assert [one.index for one in ascend(npu_smi_info=TWO_CARDS).accelerators] == [0, 1]
    found = ascend(npu_smi_info=TWO_CARDS, npu_smi_info_m=SHUFFLED).accelerators
    assert [(one.index, one.pci) for one in found] == [(0, "0000:c2:00.0"), (1, "0000:c1:00.0")]


def test_two_chips_that_claim_one_logic_id_both_count() -> None:
    mapping = SHUFFLED.replace("5         0         0 ", "5         0         1 ")
    found = ascend(npu_smi_info=TWO_CARDS, npu_smi_info_m=mapping).accelerators
    assert {one.id for one in found} == {"ascend:0", "ascend:1"}


def test_the_mapping_alone_names_the_chips() -> None:
    found = ascend(npu_smi_info_m=SHUFFLED)
    assert [(one.index, one.model, one.memory_bytes) for one in found.accelerators] == [
        (0, "Ascend 910B3", None),
        (1, "Ascend 910B3", None),
    ]


def test_the_bus_of_an_npu_is_that_of_its_first_chip() -> None:
    board = "NPU ID : 6\nSerial Number : S6\nPCIe Bus Info : 0000:B1:00.0\nChip Count : 2\n"
    found = ascend(npu_smi_info_t_board=f"# npu-smi info -t board -i 6\n{board}").accelerators
    assert [(one.pci, one.serial) for one in found] == [("0000:b1:00.0", "S6"), (None, "S6")]


def test_ports_go_by_the_physical_id_and_names_by_the_npu() -> None:
    found = ascend(
        npu_smi_info=TWO_CARDS,
        npu_smi_info_m=SHUFFLED,
        hccn_tool_link="# hccn_tool -i 4 -link -g\nlink status: DOWN\n# hccn_tool -i 6 -link -g\nlink status: UP\n"
        "# hccn_tool -i 9 -link -g\nlink status: UP\n",
    )
    assert [(port.device, port.state, port.pci) for port in found.fabric] == [
        ("ascend:0", "down", "0000:c2:00.0"),
        ("ascend:1", "active", "0000:c1:00.0"),
    ]
    assert (found.names["NPU3"], found.names["NPU5"]) == ("ascend:1", "ascend:0")


@pytest.mark.parametrize(
    ("line", "replacement"),
    [
        ("| 0                         | 0000:C2:00.0", "| 0000:C2:00.0"),
        ("| 5     910B3               | OK", "| 5910B3  | OK"),
        ("93.1        38                0    / 0             |\n", "93.1  "),
    ],
)
def test_a_chip_that_cannot_be_read_is_told_and_the_others_stay(line: str, replacement: str) -> None:
    assert line in TWO_CARDS
    found = ascend(npu_smi_info=TWO_CARDS.replace(line, replacement))
    assert [one.pci for one in found.accelerators] == ["0000:c1:00.0"]
    assert [(one.what, one.reason) for one in found.unread] == [("npu-smi info", "garbled")]
    assert "910B3" in found.unread[0].detail


def test_a_table_without_any_chip_is_told() -> None:
    (fault,) = ascend(npu_smi_info="DrvMngGetConsoleLogLevel failed. (g_conLogLevel=3)\n").unread
    assert fault.reason == "garbled" and "failed" in fault.detail


def test_a_query_that_hangs_is_told_and_one_that_the_product_lacks_is_not() -> None:
    lacks = Answer(end="exit", code=0, out="This device does not support querying hccs.")
    found = ascend(npu_smi_info=TWO_CARDS, npu_smi_info_t_ecc=HUNG, npu_smi_info_t_hccs=lacks)
    assert [(one.what, one.reason) for one in found.unread] == [("npu-smi-info-t-ecc.txt", "hung")]
    assert len(found.accelerators) == 2


def test_an_answer_of_nobody_is_told_and_given_to_nobody() -> None:
    found = ascend(npu_smi_info=TWO_CARDS, npu_smi_info_t="Health Status : Alarm\nError Code : 80E01801\n")
    assert [one.condition and one.condition.health for one in found.accelerators] == ["OK", "OK"]
    (fault,) = found.unread
    assert "does not say of which NPU" in fault.detail and "# npu-smi info -t" in fault.hint


@pytest.mark.parametrize(
    ("usage", "size", "used"),
    [
        ("0    / 0          3372 / 65536", 65536, 3372),
        ("1811 / 21527", 21527, 1811),
        ("2411 / 15665      27008/ 32768", 32768, 27008),
        ("0/0", None, None),
        ("NA / NA", None, None),
        ("99999 / 65536", None, None),
        ("3372 /", None, None),
        ("3372 / 65536000000000", None, None),
    ],
)
def test_memory_is_the_last_pair_that_has_a_size(usage: str, size: int | None, used: int | None) -> None:
    table = TWO_CARDS.replace("0    / 0          3372 / 65536", usage)
    one = ascend(npu_smi_info=table).accelerators[0]
    assert (one.memory_bytes, one.memory_used_bytes) == (size and size * MIB, used and used * MIB)


# What a query says about NPU 3, and which fields of its accelerator it fills.
TOLD = [
    ("Temperature(C) : 41", {"condition.temperature_c": 37.0}),
    ("HBM Temperature(C) : 43", {"condition.memory_temperature_c": 43.0}),
    ("HBM Temperature(C) : NA", {"condition.memory_temperature_c": None}),
    ("HBM Temperature(C) : 32768", {"condition.memory_temperature_c": None}),
    ("Health : Critical", {"condition.health": "OK"}),
    ("Error Code : NA", {"condition.error_codes": []}),
    ("Error Code : 80E01801 a4193217", {"condition.error_codes": ["80E01801", "a4193217"]}),
    ("Aicore curFreq(MHZ) : 1000", {"clocks.core_hz": 1_000_000_000}),
    ("Aicore Freq(MHZ) : 1850", {"clocks.core_max_hz": 1_850_000_000}),
    ("HBM Clock Speed(MHz) : 1600", {"clocks.memory_hz": 1_600_000_000}),
    ("Aicore Freq(MHZ) : 0", {"clocks": None}),
    ("HBM ECC-Enable Status : False", {"ecc.enabled": False}),
    ("DDR Single Bit Error Count : 4", {"ecc.corrected_volatile": 4, "ecc.uncorrected_volatile": None}),
    ("HBM Double Bit Error Count : 2", {"ecc.uncorrected_volatile": 2}),
    ("HBM Double Bit Error Count : NA", {"ecc": None}),
    ("HBM Single Bit Isolated Pages Count : 8", {"memory_repair.retired_pages_corrected": 8}),
    ("HBM Pending Retire Page Count : 0", {"memory_repair.retirement_pending": False}),
    ("Serial Number : 2102313NVGP0N5100012", {"serial": "2102313NVGP0N5100012"}),
    ("Serial Number : NA", {"serial": None}),
    ("Firmware Version : 7.5.0.1.129", {"firmware_version": "7.5.0.1.129"}),
    ("Software Version : 24.1.rc2", {"driver_version": "24.1.rc2"}),
    ("VDie ID : 2C41 1D0A 0000", {"uuid": "2C41-1D0A-0000"}),
]


@pytest.mark.parametrize(("line", "fields"), TOLD, ids=[line for line, _ in TOLD])
def test_what_a_query_tells(line: str, fields: Mapping[str, object]) -> None:
    found = ascend(npu_smi_info=TWO_CARDS, npu_smi_info_t=f"# npu-smi info -t any -i 3 -c 0\n{line}\n")
    first, second = (json.loads(msgspec.json.encode(one)) for one in found.accelerators)
    for path, value in fields.items():
        assert at(first, path) == value, path
        if "condition" not in path and value is not None:
            assert at(second, path) is None


def at(value: object, path: str) -> object:
    for key in path.split("."):
        value = value[key] if isinstance(value, dict) else None
    return value
