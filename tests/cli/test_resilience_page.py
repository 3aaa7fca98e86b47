"""docs/resilience.md names every class of fault, its example of known errors can be read, its settings are settings."""

import re
from pathlib import Path
from typing import get_args

from l0_infra.core.documents import parse_document
from l3_modeltools.resilience.catalogue import load_catalogue
from l3_modeltools.resilience.event import make_event
from l3_modeltools.resilience.told_environment import KEPT, facts_of
from l3_modeltools.schemas import ErrorCatalogue, FaultClass, Train

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "resilience.md").read_text()


def block(title: str) -> str:
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    (found,) = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
    return str(found)


def test_every_class_of_fault_has_its_line() -> None:
    section = PAGE.split("## What is noticed, and what is done\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(get_args(FaultClass))


def test_the_settings_are_settings() -> None:
    example = (ROOT / "examples" / "tiny_llama" / "train.yaml").read_text()
    without = re.sub(r"^checkpoint: .*\n", "", example, flags=re.MULTILINE)
    train = parse_document(without + block("The budget"), source="train.yaml", expect=Train)
    assert train.resilience.backoff_s == 1.0
    assert train.checkpoint.interval == "auto"
    assert [told.on for told in train.notify] == [("fault", "finish"), ("finish",)]


def test_the_example_of_known_errors_recognises_its_line() -> None:
    taught = parse_document(block("Known errors"), source="errors.yaml", expect=ErrorCatalogue)
    assert taught.errors[0].fault_class == "storage_slow"


def test_the_number_of_known_errors_is_true() -> None:
    number = str(len(load_catalogue().names))
    for page in ("README.md", "CHANGELOG.md"):
        assert f"{number} known errors" in (ROOT / page).read_text(), page


def test_what_a_command_sees_is_named_and_nothing_else() -> None:
    section = PAGE.split("A command gets no environment of the job's")[1].split("\n## ")[0]
    event = make_event("finish", "a-1", "done", state="COMPLETED", step=1, fault=None, now=0.0)
    named = set(re.findall(r"`([A-Z_]{4,}|TZ)`", section))
    assert named == KEPT | facts_of(event).keys() | {"OGAI_TOKEN"}
    assert re.findall(r"^\| (`OGAI.*?) \|", section, re.MULTILINE)
