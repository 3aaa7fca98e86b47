"""What the catalogue says of one line: every entry has one of its own, and no other entry takes it."""

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from l0_infra.core.documents import read_document
from l0_infra.facts.kernel_log.catalogue import Catalogue, load_events
from l0_infra.facts.kernel_log.sieve import render_sieve
from l0_infra.schemas import KernelCatalogue

ROOT = Path(__file__).parents[4]
PACKAGE = ROOT / "l0_infra/facts/kernel_log"
KNOWN: list[dict[str, Any]] = yaml.safe_load((ROOT / "tests/cases/kernel_log/known.yaml").read_text())
EVENTS = load_events()
CATALOGUE = Catalogue(EVENTS)

Told = list[tuple[str, str | None, int | None]]


def told(text: str, catalogue: Catalogue = CATALOGUE) -> Told:
    found = catalogue.find(text.split("\n"))
    return [(one.event.name.replace("{code}", str(one.code)), one.device, one.code) for one in found]


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: f"{case['name']}:{case['text'][:30]}")
def test_a_line_tells_its_event_its_device_and_its_number(case: dict[str, Any]) -> None:
    expected = [(case["name"], case.get("device"), case.get("code"))]
    assert told(case["text"]) == expected
    assert told(f"leave this alone\n{case['text']}\nand this") == expected


def test_every_entry_has_a_line() -> None:
    shown = {case["name"] for case in KNOWN}
    names = [{event.name.replace("{code}", str(code)) for code in event.codes or ("",)} for event in EVENTS]
    assert [own for own in names if not own & shown] == []


def test_every_number_that_an_entry_names_is_told_by_it() -> None:
    for event in EVENTS:
        for code in event.codes:
            line = event.texts[0].replace("{device}", "PCI:0000:07:00").replace("{code}", str(code))
            name = event.name.replace("{code}", str(code))
            assert told(line.replace("*", "x")) == [(name, "0000:07:00.0", code)]


def test_all_numbers_of_nvidia_s_table_are_named() -> None:
    xids = {code for event in EVENTS if event.name.startswith("xid") for code in event.codes}
    assert xids == set(range(1, 173))


def test_no_two_files_speak_of_the_same_line() -> None:
    files = sorted((PACKAGE / "known").glob("*.yaml"))
    alone = [Catalogue(read_document(path, expect=KernelCatalogue).events) for path in files]
    shared = [case["text"] for case in KNOWN if len([one for one in alone if told(case["text"], one)]) != 1]
    assert shared == []


def test_each_entry_says_what_a_person_needs() -> None:
    for event in EVENTS:
        assert event.source.startswith("https://"), event.name
        assert event.meaning[0].isupper() and event.meaning.endswith("."), event.name
        assert event.action != "none" or event.severity == "notice", event.name
        assert event.severity != "fatal" or event.action not in ("none", "watch"), event.name


def test_the_sieve_is_of_this_catalogue() -> None:
    assert (PACKAGE / "sieve.sh").read_text() == render_sieve(), "run `python -m l0_infra.facts.kernel_log`"


def test_the_sieve_lets_through_what_an_event_is_recognised_by() -> None:
    grave, mild, _ = shlex.split(render_sieve())
    pieces = [*grave.removeprefix("grave=").split("\n"), *mild.removeprefix("mild=").split("\n")]
    assert all(pieces)
    for case in KNOWN:
        kept = [line for line in case["text"].split("\n") if any(piece in line for piece in pieces)]
        assert told("\n".join(kept)) == told(case["text"])
