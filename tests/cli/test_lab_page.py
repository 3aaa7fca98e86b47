"""docs/lab.md names every kind of break and every option of `up`, and no other."""

import re
from pathlib import Path

import click

import ogai.lab
from l1_podsys.lab.breaks import BREAKS
from ogai.commands.lab.up import up

PAGE = (Path(__file__).parents[2] / "docs" / "lab.md").read_text()


def test_its_table_names_every_kind_of_break() -> None:
    section = PAGE.split("## Break and heal\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE) == list(BREAKS)


def test_its_table_names_every_option() -> None:
    section = PAGE.split("## Up\n")[1].split("\n## ")[0]
    named = re.findall(r"^\| `(--\w+)", section, re.MULTILINE)
    assert named == [parameter.opts[0] for parameter in up.params if isinstance(parameter, click.Option)]


def test_its_python_uses_what_there_is() -> None:
    (names,) = re.findall(r"^from ogai\.lab import (.+)$", PAGE, re.MULTILINE)
    assert all(hasattr(ogai.lab, name) for name in names.split(", "))
