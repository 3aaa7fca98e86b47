"""docs/nodes.md names every file of a support bundle with the command that prints it, and its rules can be read."""

import re
from pathlib import Path

import pytest

from l0_infra.core.documents import parse_document
from l0_infra.facts.bundle import Source
from l0_infra.facts.probe import SOURCES
from l0_infra.schemas import NodeRules
from l0_infra.schemas.rules import OPERATORS

PAGE = (Path(__file__).parents[2] / "docs" / "nodes.md").read_text()
ROWS = re.findall(r"^\| `([^`]+)` \| (.+) \|$", PAGE.split("## A support bundle\n")[1], re.MULTILINE)
PLAIN = re.compile(r"[a-z][\w.-]*(?: [\w=.,+/@-]+)*")
"""One command and its words, nothing that needs a shell."""


def test_every_file_of_a_bundle_has_its_line() -> None:
    assert [name for name, _ in ROWS] == [source.name for source in SOURCES]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_a_plain_command_is_given_as_it_is_asked(source: Source) -> None:
    command = source.whole or source.command
    if PLAIN.fullmatch(command):
        assert dict(ROWS)[source.name] == f"`{command}`"


def test_the_example_of_rules_can_be_read_and_the_operators_are_those_there_are() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert parse_document(example, source="rules.yaml", expect=NodeRules).rules[0].id == "our-driver"
    (told,) = re.findall(r"^Operators are (.*?)\. Instead", PAGE, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`(\w+)`", told)) == set(OPERATORS)
