"""A text is found where a regular expression would find it, what varies in it is read, and no line costs much."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts.kernel_log.device import device_name
from l0_infra.facts.kernel_log.text import Found, match_line, parse_pattern

FEW = st.text("ab*", min_size=1, max_size=6)


@given(FEW.filter(lambda text: text.strip("*") != ""), st.text("ab ", max_size=12))
def test_a_text_is_found_where_a_regular_expression_finds_it(text: str, line: str) -> None:
    pattern = re.compile(".*".join(map(re.escape, text.split("*"))))
    assert (match_line(line, parse_pattern(text)) is None) == (pattern.search(line) is None)


READ = [
    (
        "Xid ({device}): {code},",
        "NVRM: Xid (PCI:0000:1b:00): 48, pid=1",
        Found(device="PCI:0000:1b:00", code=48),
    ),
    ("Xid ({device}): {code}", "Xid (0000:1b:00): 048", Found(device="0000:1b:00", code=48)),
    ("Xid ({device}): {code}", "Xid (0000:1b:00): x48", None),
    ("Xid ({device}): {code}", "Xid (0000:1b:00): 1234567890", None),
    ("Xid ({device}): {code}", "Xid (): 48", None),
    ("Xid ({device}): {code}", f"Xid ({'x' * 65}): 48", None),
    ("{interface}: lost carrier", "systemd-networkd[7]: ib4: lost carrier", Found(device="ib4")),
    ("{interface}: lost carrier", "veth3a91: lost carrier", None),
    ("{interface}: lost carrier", ": lost carrier", None),
    ("{interface}: Link Down", "pcieport 0000:b0:02.0: pciehp: Slot(34): Link Down", None),
    (
        "{device}: * Gb/s available",
        "mlx5_core 0000:a1:00.0: 126.0 Gb/s available",
        Found(device="0000:a1:00.0"),
    ),
    ("task {device}:* blocked", "INFO: task a b:7 blocked for", Found(device="a b")),
    ("(dev_id={device}", "Device is gone. (dev_id=3; x", Found(device="3")),
]


@pytest.mark.parametrize(("text", "line", "found"), READ)
def test_what_varies_is_read_where_it_stands(text: str, line: str, found: Found | None) -> None:
    assert match_line(line, parse_pattern(text)) == found


def test_work_grows_with_the_line_and_not_with_its_square() -> None:
    """Each search begins where the one before ended: a line is walked through once, whatever it holds."""

    class Counted(str):
        walked = 0

        def find(self, sub: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
            at = str.find(self, sub, start)
            Counted.walked += (len(self) if at < 0 else at) - start
            return at

    hostile = Counted("open a door " * 20_000 + "open")
    for text in ("open *door *open *shut it now", "{device}open {device}door *{code}open *wall"):
        assert match_line(hostile, parse_pattern(text)) is None
    assert Counted.walked <= 3 * len(hostile)


SPELLINGS = [
    ("PCI:0000:1B:00", "0000:1b:00.0"),
    ("0000:1b:00", "0000:1b:00.0"),
    ("1b:00.0", "0000:1b:00.0"),
    ("0000:1b:00.3", "0000:1b:00.3"),
    ("00000000:1B:00.0", "0000:1b:00.0"),
    ("0009:01:00", "0009:01:00.0"),
    ("PCI:0000:1b:00 GPU-I:05", "0000:1b:00.0"),
    ("1b:00", "1b:00"),
    ("0000:1b:20.0", "0000:1b:20.0"),
    ("aa:bb:cc:dd:ee:ff", "aa:bb:cc:dd:ee:ff"),
    ("nvme3n1", "nvme3n1"),
    ("ib0", "ib0"),
    ("CPU#12", "CPU#12"),
]


@pytest.mark.parametrize(("written", "name"), SPELLINGS)
def test_a_device_has_one_name_in_any_spelling(written: str, name: str) -> None:
    assert device_name(written) == name
    assert device_name(name) == name
