"""The entries that ship with ogai: each sound and with a source; real error texts get the right one."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from l0_infra.core.errors import DocumentError
from l3_modeltools.resilience.catalogue import load_catalogue
from l3_modeltools.resilience.meaning import classify_text
from l3_modeltools.schemas import ErrorCatalogue
from tests.support.documents import faults_of

CASES = Path(__file__).parents[3] / "cases" / "errors"
CATALOGUE = load_catalogue()
KNOWN: list[dict[str, Any]] = yaml.safe_load((CASES / "known.yaml").read_text())
TAILS: list[dict[str, Any]] = yaml.safe_load((CASES / "tails.yaml").read_text())

PREFIXES = ("", "[default3]:", "\x1b[36m(worker pid=41, ip=10.0.0.2)\x1b[0m ", "2026-01-02T03:04:05Z ")

OWN = """\
kind: error_catalogue
errors:
  - name: our-gateway
    fault_class: crash
    advised: restart_job
    texts: ["gateway * said no"]
    explanation: The gateway refuses.
    hint: Ask the people of the gateway.
  - name: disk-full
    fault_class: storage_full
    advised: pause
    texts: ["No space left on device"]
    explanation: Scratch is full.
    hint: Run our clean-up.
"""


def prefixed(text: str, prefix: str) -> list[str]:
    return [prefix + line for line in text.splitlines()]


def test_there_are_as_many_real_texts_as_promised() -> None:
    assert len({case["text"] for case in KNOWN}) >= 150
    assert all(case["source"].startswith("https://") for case in KNOWN)


@pytest.mark.parametrize(
    "prefix", ["", "[default3]:", "\x1b[36m(worker pid=41, ip=10.0.0.2)\x1b[0m ", "2026-01-02T03:04:05Z "]
)
def test_a_real_text_is_known_also_behind_a_prefix(prefix: str) -> None:
    wrong = []
    for case in KNOWN:
        meaning = classify_text(prefixed(case["text"], prefix), CATALOGUE)
        found = meaning.error.name if meaning.error else None
        if (found, meaning.fault_class) != (case["entry"], case["class"]):
            wrong.append(f"{case['text'][:90]!r}: {found}, {meaning.fault_class}; expected {case['entry']}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("case", TAILS, ids=lambda case: case["name"])
def test_in_a_tail_the_root_counts(case: dict[str, Any]) -> None:
    meaning = classify_text(case["text"].splitlines(), CATALOGUE)
    found = meaning.error.name if meaning.error else None
    assert (found, meaning.fault_class) == (case["entry"], case["class"]), meaning


def test_a_warning_that_was_lived_through_does_not_explain_what_comes_long_after() -> None:
    steps = [f"step {step} loss 2.3" for step in range(60)]
    own = [
        "Traceback (most recent call last):",
        '  File "train.py", line 9, in <module>',
        "KeyError: 'split'",
    ]
    meaning = classify_text(["W Max retries exceeded with url: /files (retrying)", *steps, *own], CATALOGUE)
    assert (meaning.error, meaning.fault_class, meaning.line) == (None, "crash", "KeyError: 'split'")
    assert (meaning.line_number, meaning.also) == (64, ("http-timeout",))


def test_ordinary_lines_mean_nothing() -> None:
    lines = (CASES / "harmless.txt").read_text().splitlines()
    assert len(lines) >= 25
    assert {line: match.error.name for line in lines if (match := CATALOGUE.match([line]))} == {}
    meaning = classify_text([*lines, ""], CATALOGUE)
    assert (meaning.fault_class, meaning.lines_read, meaning.line_number) == (None, len(lines), None)


def test_what_looks_like_a_fault_and_is_in_no_catalogue_is_unknown_and_shown() -> None:
    meaning = classify_text(["step 1 loss 3", "\x1b[31m[rank1]: stager: tape 4 refused\x1b[0m"], CATALOGUE)
    assert (meaning.fault_class, meaning.line, meaning.line_number) == (
        "unknown",
        "stager: tape 4 refused",
        2,
    )


def test_what_a_model_wrote_is_no_error() -> None:
    written = "[default0]:    | OSError: [Errno 28] No space left on device"
    assert classify_text(["after step 6 it writes:", written], CATALOGUE).fault_class is None
    assert classify_text([written.replace("   | ", "")], CATALOGUE).fault_class == "storage_full"


def test_every_entry_is_told_apart_and_has_a_source() -> None:
    names = [error.name for error in CATALOGUE.errors]
    assert len(names) == len(set(names)) >= 200
    for error in CATALOGUE.errors:
        assert error.source.startswith("https://"), error.name
        for text in error.texts:
            match = CATALOGUE.match([text.replace("*", " 7 ")])
            assert match is not None and match.error.name == error.name, (text, match and match.error.name)


def test_a_persons_own_entries_come_first_and_replace(tmp_path: Path) -> None:
    file = tmp_path / "errors.yaml"
    assert load_catalogue(file).errors == CATALOGUE.errors
    file.write_text(OWN)
    own = load_catalogue(file)
    gateway = own.match(["the gateway of hall 3 said no"])
    full = own.match(["OSError: [Errno 28] No space left on device"])
    both = own.match(["CUDA out of memory. Tried to allocate 1 GiB: the gateway of hall 3 said no"])
    assert gateway is not None and gateway.error.name == "our-gateway"
    assert both is not None and both.error.name == "our-gateway"
    assert full is not None and full.error.hint == "Run our clean-up."
    assert len(own.errors) == len(CATALOGUE.errors) + 1


def test_a_bad_file_is_told_by_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "errors.yaml"
    file.write_text(OWN.replace("crash", "crashed"))
    with pytest.raises(DocumentError) as caught:
        load_catalogue(file)
    assert str(caught.value).startswith(f"{file}:4:")
    assert faults_of(OWN, ErrorCatalogue, ('"gateway * said no"', '"a*b*c"')) == [
        "6:13: found `a*b*c`; expected at least 4 characters in a row that do not vary"
    ]
    assert faults_of(OWN, ErrorCatalogue, ('"gateway * said no"', '"gateway\\n"')) == [
        "6:13: found several lines; expected the text of one line"
    ]
    assert faults_of(OWN, ErrorCatalogue, ("name: disk-full", "name: our-gateway")) == [
        "9:11: found `our-gateway`, already that of errors[0]; expected a unique name"
    ]
