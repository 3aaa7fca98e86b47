"""The Python API has a module for each noun of the command line, which loads nothing heavy."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

import ogai
from ogai.main import COMMANDS, build

ROOT = Path(__file__).parents[2]
NOUNS = sorted(set(ogai.__all__) - {"__version__"})
HEAVY = ("click", "jsonschema", "matplotlib", "paramiko", "rich", "torch", "transformers", "yaml")


def fresh(program: str) -> str:
    """Run a program in an interpreter of its own; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_nouns_are_those_of_the_command_line() -> None:
    root = build()
    commands = {name: root.get_command(click.Context(root, info_name="ogai"), name) for name in COMMANDS}
    assert [name for name, command in sorted(commands.items()) if isinstance(command, click.Group)] == NOUNS


@pytest.mark.parametrize("noun", NOUNS)
def test_a_noun_can_be_imported_by_itself_and_so_can_each_of_its_names(noun: str) -> None:
    names = ", ".join(import_module(f"ogai.{noun}").__all__)
    loaded = fresh(
        f"import ogai.{noun}\nfrom ogai.{noun} import {names}\nimport sys\n"
        f"assert ogai.{noun} is sys.modules['ogai.{noun}']\n"
        f"print(*(name for name in {HEAVY} if name in sys.modules))"
    )
    assert loaded.split() == []


@pytest.mark.parametrize("noun", NOUNS)
def test_what_is_offered_is_no_module(noun: str) -> None:
    module = import_module(f"ogai.{noun}")
    for name in module.__all__:
        assert callable(getattr(module, name)), f"ogai.{noun}.{name}"


def test_the_package_alone_loads_no_noun_before_it_is_used() -> None:
    program = "import sys, ogai\nbefore = {name for name in sys.modules if name.startswith(('ogai.', 'l'))}\n"
    program += (
        "ogai.job.submit\nprint('ogai.job' in before, 'ogai.job' in sys.modules, 'ogai.train' in sys.modules)"
    )
    assert fresh(program).split() == ["False", "True", "False"]


def test_a_noun_that_is_not_there_is_said() -> None:
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        ogai.trian  # noqa: B018  # type: ignore[attr-defined]
