"""docs/gates.md lists every check as it is declared, and what a check says to type can be typed."""

import re
from pathlib import Path

import click

from l1_podsys.gates import CHECKS
from l1_podsys.slurm import parse_drain
from ogai.failure import ClickGrammar
from ogai.main import build
from ogai.suggest import command_path

PAGE = (Path(__file__).parents[2] / "docs" / "gates.md").read_text()


def test_every_check_has_its_line() -> None:
    rows = re.findall(r"^\| `([a-z.-]+)` \| (\w+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert rows == [(check.code, check.level, check.what) for check in CHECKS.values()]


def test_the_example_of_a_drain_is_one() -> None:
    (example,) = re.findall(r"^ogai:gate .*$", PAGE, re.MULTILINE)
    drain = parse_drain(example)
    assert (drain.owner, drain.by, drain.ours) == ("gate", "root", True)


def test_commands_that_hints_name_are_real_and_take_what_is_named() -> None:
    root = build()
    grammar = ClickGrammar(root)
    hints = " ; ".join(check.hint for check in CHECKS.values())
    told = re.findall(r"ogai ((?:[a-z]+ ?)+)([A-Z]*)", hints)
    assert told
    for words, operand in told:
        path = command_path(tuple(words.split()), grammar)
        assert not grammar.names(path), words
        assert operand in arguments(root, path), f"ogai {words}{operand}"


def arguments(command: click.Command, path: tuple[str, ...]) -> set[str]:
    context = click.Context(command)
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command, context = found, click.Context(found)
    metavars = [one.make_metavar(context) for one in command.params if isinstance(one, click.Argument)]
    return {"", *(metavar.strip("[]").removesuffix("...") for metavar in metavars)}
