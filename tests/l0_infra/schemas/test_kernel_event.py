from l0_infra.schemas import KernelCatalogue
from tests.support.documents import faults_of

SOUND = """\
kind: kernel_catalogue
events:
  - name: disk-{code}
    codes: [3, 4]
    texts: ["disk {device} broke with {code}"]
    severity: error
    action: replace disk
    meaning: A disk broke.
    source: https://example.org
  - name: disk-5
    texts: ["the disk burns\\non fire"]
    severity: fatal
    action: replace disk
    meaning: A disk burns.
    source: https://example.org
"""


def test_a_sound_catalogue_has_no_fault() -> None:
    assert faults_of(SOUND, KernelCatalogue) == []


def test_names_that_come_again_once_their_numbers_are_filled_in_are_told() -> None:
    found = faults_of(SOUND, KernelCatalogue, ("[3, 4]", "[3, 5]"))
    assert found == ["10:11: found `disk-5`, already that of events[0]; expected a unique name"]


def test_a_text_that_stands_in_nearly_every_line_is_told() -> None:
    found = faults_of(SOUND, KernelCatalogue, ("the disk burns\\non fire", "the disk burns\\non {device} a"))
    assert len(found) == 1 and found[0].startswith("11:") and "at least 4 characters in a row" in found[0]


def test_a_number_that_stands_in_no_text_is_told() -> None:
    found = faults_of(SOUND, KernelCatalogue, (" with {code}", ""))
    assert len(found) == 1 and "expected a text with {code}" in found[0]
