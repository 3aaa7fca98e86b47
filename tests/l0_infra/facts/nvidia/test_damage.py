"""A document that is cut, garbled, hostile or huge: what was whole is kept, what was lost is said."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts.bundle import HUNG, Answer
from l0_infra.facts.nvidia import SOURCES, parse_fabric_manager, parse_software
from l0_infra.schemas import Accelerator
from tests.support.nvidia_answers import CSV, LOG, TABLE, answers, document, found

WITHIN = """<product_name>NVIDIA B300 SXM6 AC</product_name>
<uuid>GPU-{n}77aa0c1-52d3-4e6f-9b18-0c2d4e6f8a{n}b</uuid>
<fb_memory_usage><total>27504{n} MiB</total><used>61{n} MiB</used></fb_memory_usage>
<temperature><gpu_temp>3{n} C</gpu_temp><gpu_temp_tlimit>5{n} C</gpu_temp_tlimit></temperature>
<clocks><sm_clock>186{n} MHz</sm_clock></clocks>
<ecc_errors><volatile><dram_correctable>8{n}</dram_correctable></volatile></ecc_errors>
<remapped_rows><remapped_row_unc>9{n}</remapped_row_unc></remapped_rows>
<processes><process_info><pid>4411{n}</pid><used_memory>73{n} MiB</used_memory></process_info></processes>"""
FOUR = document(*(WITHIN.format(n=n) for n in range(4)))
WHOLE = found({LOG: FOUR}).accelerators


def test_a_document_of_several_gpus_is_in_order() -> None:
    assert [(one.id, one.pci) for one in WHOLE] == [(f"nvidia:{n}", f"0000:0{n + 1}:00.0") for n in range(4)]


@pytest.mark.parametrize("ending", ["\r\n", "\r\n\r\n"])
def test_line_endings_change_nothing(ending: str) -> None:
    assert found({LOG: FOUR.replace("\n", ending)}).accelerators == WHOLE


@given(st.integers(0, len(FOUR)))
def test_of_a_document_cut_anywhere_the_gpus_before_are_whole_and_the_loss_is_said(cut: int) -> None:
    told = found({LOG: FOUR[:cut]})
    assert told.accelerators == WHOLE[: FOUR[:cut].count("</gpu>")]
    if "<attached_gpus>4<" in FOUR[:cut]:
        assert bool(told.unread) == (len(told.accelerators) < 4)


@pytest.mark.parametrize(
    "garbled",
    [
        "<gpu_temp>31 C</gpu_tmp>",
        "<gpu_temp>3\0 C</gpu_temp>",
        "<gpu_temp>&lol;</gpu_temp>",
        "<gpu_temp>31 C & more</gpu_temp>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><gpu_temp>&b;</gpu_temp>",
        "31 C</gpu_temp>",
    ],
)
def test_a_garbled_gpu_costs_no_other(garbled: str) -> None:
    told = found({LOG: FOUR.replace("<gpu_temp>31 C</gpu_temp>", garbled)})
    assert told.accelerators == (WHOLE[0], *WHOLE[2:])
    assert [fault.reason for fault in told.unread] == ["garbled"]


def test_the_short_form_stands_in_for_a_garbled_gpu() -> None:
    row = "{n}, NVIDIA B300, GPU-{n}77aa0c1-52d3-4e6f-9b18-0c2d4e6f8a{n}b, 27504{n}, 61{n}, 0, 0000:0{m}:00.0, 1.2\n"
    rows = "".join(row.format(n=n, m=n + 1) for n in range(4))
    told = found({LOG: FOUR.replace("31 C</gpu_temp>", ""), CSV: rows}).accelerators
    assert [one.memory_bytes for one in told] == [one.memory_bytes for one in WHOLE]
    assert [one.condition is None for one in told] == [False, True, False, False]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(97 + n)} "{f"&{chr(96 + n)};" * 10}">' for n in range(1, 9)
)


@pytest.mark.parametrize(
    "declared", [f"{BOMB}]>", '<!DOCTYPE x [<!ENTITY i SYSTEM "file:///etc/passwd">]>', "<!DOCTYPE gpu SYSTEM 'http://x/y.dtd'>"]
)  # fmt: skip
def test_entities_are_never_declared_nor_read(declared: str) -> None:
    hostile = re.sub("<!DOCTYPE[^>]*>", lambda _: declared, FOUR)
    assert found({LOG: hostile}).accelerators == WHOLE
    told = found({LOG: hostile.replace("31 C", "&i;").replace("32 C", "&i;")})
    assert told.accelerators == (WHOLE[0], WHOLE[3])
    assert "root:" not in repr(told)


HUGE = 10_000_000
FLOODS = ("\0", "\n", "<gpu ", "<gpu id='0'><a>", "| ", "é")


@pytest.mark.parametrize("flood", FLOODS, ids=repr)
@pytest.mark.parametrize("name", [LOG, TABLE])
def test_ten_megabytes_of_nonsense_are_no_gpus(name: str, flood: str) -> None:
    assert found({name: flood * (HUGE // len(flood))}).accelerators == ()


def test_no_node_has_that_many_gpus_and_no_gpu_that_much_to_say() -> None:
    assert len(found({LOG: document(*(WITHIN.format(n=n) for n in range(300)))}).accelerators) == 256
    told = found({LOG: document(WITHIN.format(n=0), "<a>" + "0" * 1_000_000 + "</a>", WITHIN.format(n=2))})
    assert [one.index for one in told.accelerators] == [0, 2]
    assert [fault.detail for fault in told.unread] == ["a GPU has more than 1000000 characters"]


def numbers(gpu: Accelerator) -> list[float]:
    """List each number that a GPU is said to have, in the unit in which it is printed."""
    parts = (gpu.condition, gpu.ecc, gpu.memory_repair)
    told = [value for part in parts if part for value in msgspec.structs.astuple(part)]
    sizes = [
        gpu.memory_bytes,
        gpu.memory_used_bytes,
        *(process.memory_bytes for process in gpu.processes or ()),
    ]
    told += [size // 2**20 for size in sizes if size is not None]
    told += [process.pid for process in gpu.processes or ()]
    told += [gpu.clocks.core_hz / 1e6] if gpu.clocks and gpu.clocks.core_hz is not None else []
    return [one for one in told if isinstance(one, int | float) and not isinstance(one, bool)]


@st.composite
def mutations(draw: st.DrawFn) -> str:
    text = FOUR
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 25)))
        words = st.sampled_from(
            ["", "ERR!", "[N/A]", "-", "</gpu>", "<gpu id='x'>", "<", "\r", "\0", "MiB", "³"]
        )
        text = text[:start] + draw(words | st.text(max_size=5)) + text[end:]
    return text


@given(mutations())
def test_a_mutated_document_never_crashes_nor_makes_up_a_number(text: str) -> None:
    told = found({LOG: text})
    assert (
        msgspec.convert(msgspec.to_builtins(told.accelerators), tuple[Accelerator, ...]) == told.accelerators
    )
    for gpu in told.accelerators:
        assert [one for one in numbers(gpu) if f"{one:.15g}" not in text] == []
    assert len({gpu.id for gpu in told.accelerators}) == len(told.accelerators)


@given(st.dictionaries(st.sampled_from([source.name for source in SOURCES]), st.text(max_size=200)))
def test_any_text_in_any_file_is_survived(files: dict[str, str]) -> None:
    told = answers(files)
    parse_software(told)
    parse_fabric_manager(told)
    assert found(files).accelerators == ()


def test_a_tool_that_hangs_in_the_middle_keeps_what_it_said() -> None:
    told = found({LOG: Answer(end="hung", out=FOUR[: FOUR.index("GPU-277")])})
    assert told.accelerators == WHOLE[:2]
    assert [(fault.what, fault.reason) for fault in told.unread] == [("nvidia-smi", "hung")]
    assert found({LOG: HUNG, CSV: HUNG}).accelerators == ()
