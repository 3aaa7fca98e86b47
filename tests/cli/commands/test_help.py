"""Every command's help shows how it is typed, and what it shows can be typed."""

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from ogai.failure import ClickGrammar
from ogai.main import build
from ogai.suggest import command_path

ROOT = build()


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from commands(inner, (*path, name))


def help_of(path: tuple[str, ...]) -> str:
    command: click.Command = ROOT
    context = click.Context(ROOT, info_name="ogai")
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command, context = found, click.Context(found, info_name=name, parent=context)
    return command.get_help(context)


def examples(path: tuple[str, ...]) -> list[list[str]]:
    _, _, below = help_of(path).partition("Examples:")
    joined = re.sub(r" \\\n +", " ", below)
    lines = re.findall(r"^    (ogai .*?)(?:   .*)?$", joined, re.MULTILINE)
    return [shlex.split(line.partition(" | ")[0])[1:] for line in lines]


@pytest.mark.parametrize("path", list(commands(ROOT)), ids=" ".join)
def test_help_shows_examples_that_name_real_commands_and_options(path: tuple[str, ...]) -> None:
    grammar = ClickGrammar(ROOT)
    assert examples(path)
    for words in examples(path):
        named = command_path(tuple(words), grammar)
        assert not grammar.names(named), words
        typed = words[: words.index("--")] if "--" in words else words
        flags = [word for word in typed[len(named) :] if re.match(r"-{1,2}[a-z]", word)]
        assert set(flags) <= set(grammar.options(named)), words


@pytest.mark.parametrize("path", list(commands(ROOT)), ids=" ".join)
def test_help_fits_80_columns(path: tuple[str, ...]) -> None:
    assert [line for line in help_of(path).splitlines() if len(line) > 80] == []
