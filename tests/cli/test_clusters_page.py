"""docs/clusters.md: its commands can be typed, its Python can be had, and what it says of roles and Slurm is so."""

import inspect
import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import click
import msgspec
import pytest
import yaml

import ogai.cluster
from l0_infra import load_roles, role_folder
from l0_infra.core.errors import RemoteError, UnhealthyError
from l1_podsys import HOST_AUTHORITY
from l1_podsys.bringup.variables import NODE_EXPORTER_PORT
from l1_podsys.schemas import Cluster, NodeGroup
from l1_podsys.slurm import Controller, nodes_join, render_slurm_conf
from ogai.commands.cluster.arguments import VARIABLE
from ogai.main import build
from tests.cli.cluster import test_growing

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "clusters.md").read_text()
SHEETS = {
    sheet.role.name: sheet for layer in ("l0_infra", "l1_podsys") for sheet in load_roles(role_folder(layer))
}
BLOCKS = re.findall(r"^```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
TYPED = [line for block in BLOCKS for line in block.splitlines() if line.startswith("ogai ")]
OF_SLURM = {"--gpus-per-node"}
IN_TEXT = re.findall(r"`(ogai [^`]+)`", PAGE)


def words_of(line: str) -> list[str]:
    """Take a line apart as a shell would, without what is told beside it or where it goes; options are typed."""
    return shlex.split(re.split(r" {2,}| > ", line)[0].replace("[--", "--").replace("purge]", "purge"))


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """Find the command that words name; return what is left for it."""
    command: click.Command = build()
    rest = words[1:]
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command, info_name="ogai"), rest[0])
        assert found is not None, f"there is no {' '.join(words)}"
        command, rest = found, rest[1:]
    return command, rest


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def variables() -> set[str]:
    texts = (sheet.folder / "meta/argument_specs.yml" for sheet in SHEETS.values())
    return {
        name
        for path in texts
        for name in yaml.safe_load(path.read_text())["argument_specs"]["main"]["options"]
    }


def test_there_are_commands_to_try() -> None:
    assert len(TYPED) >= 10
    assert {words_of(line)[2] for line in TYPED} >= {
        "up",
        "add",
        "remove",
        "replace",
        "upgrade",
        "down",
        "diff",
    }


@pytest.mark.parametrize("line", TYPED)
def test_a_command_can_be_typed_as_it_stands_and_prints_json(line: str) -> None:
    command, rest = command_of(words_of(line))
    context = command.make_context(command.name, rest)
    assert context.args == []
    goes_to_a_file = " > " in line
    assert goes_to_a_file or "-o" in {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("text", IN_TEXT)
def test_a_command_in_the_text_exists_with_its_options(text: str) -> None:
    command, rest = command_of(text.split())
    options = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("-")} <= options


@pytest.mark.parametrize("option", sorted({*re.findall(r"`(--[a-z-]+)`", PAGE)} - OF_SLURM))
def test_an_option_in_the_text_is_that_of_a_command_for_clusters(option: str) -> None:
    group = build().get_command(click.Context(build()), "cluster")
    assert isinstance(group, click.Group)
    context = click.Context(group)
    commands = [group.get_command(context, name) for name in group.list_commands(context)]
    assert option in {opt for one in commands if one is not None for par in one.params for opt in par.opts}


def test_its_python_can_be_had_and_returns_a_type() -> None:
    ((module, names),) = re.findall(r"`from (ogai\.\w+) import ([\w, ]+)`", PAGE)
    assert module == "ogai.cluster"
    for name in names.split(", "):
        function = getattr(ogai.cluster, name)
        returned = get_type_hints(function, vars(import_module(function.__module__)))["return"]
        assert inspect.isclass(returned) and issubclass(returned, msgspec.Struct), name


def test_exit_codes_and_the_variable_for_sudo_are_those_there_are() -> None:
    told = re.findall(r"Exit code (\d)[;:] ([a-z ]+)", section("When something goes wrong"))
    assert told == [
        (str(RemoteError.exit_code), "the table says which role and task failed"),
        (str(UnhealthyError.exit_code), "all was done"),
    ]
    assert f"`{VARIABLE}`" in PAGE


def test_files_and_folders_it_names_are_there() -> None:
    named = re.findall(r"`((?:tests|l0_infra|l1_podsys)/[\w/.]+)`", PAGE)
    named += re.findall(r"(?:l0_infra|l1_podsys)/[\w/.]+", "".join(BLOCKS))
    assert len(named) >= 4
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_sizes_at_which_growing_is_counted_are_those_of_the_test() -> None:
    (told,) = re.findall(r"`tests/cli/cluster/test_growing\.py` counts\nthis at ([\d, and]+) nodes", PAGE)
    (mark,) = (
        mark
        for mark in test_growing.test_a_new_node_is_its_own_work_and_two_roles_of_the_controller.pytestmark  # type: ignore[attr-defined]
        if mark.name == "parametrize"
    )
    assert [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\d", told)] == mark.args[1]


def test_each_role_that_it_explains_is_one() -> None:
    told = re.findall(r"^- `(\w+)`:", section("What the base roles leave on a node"), re.MULTILINE)
    assert len(told) >= 6 and set(told) <= SHEETS.keys()
    assert set(re.findall(r"`((?:base|prometheus|users|runtime)_\w+)`", PAGE)) <= variables()


def test_what_it_says_that_roles_leave_is_in_the_roles() -> None:
    left = section("What the base roles leave on a node")
    base = SHEETS["base"].role.outcome
    assert {Path(file).name for file in base.files if not file.startswith("{")} <= {"60-ogai", "60-ogai.conf"}
    assert f"`secrets/{HOST_AUTHORITY}`" in left
    for role, word in (
        ("base", "#ogai#"),
        ("base", "ogai.sources"),
        ("names", "dnsmasq"),
        ("runtime", "bin/ogai"),
    ):
        texts = [path.read_text() for path in SHEETS[role].folder.rglob("*") if path.is_file()]
        assert word in left and any(word in text for text in texts), word
    (key,) = re.findall(r"`(munge\.key)\.before-ogai`", left)
    tasks = (SHEETS["munge"].folder / "tasks/main.yml").read_text()
    assert re.search(rf"path: /etc/munge/{key}\n(?:\s+\w+: .*\n)*?\s+keep: true\n", tasks)


def test_fields_of_the_document_that_it_names_exist() -> None:
    parts = {name: hint for name, hint in get_type_hints(Cluster).items() if isinstance(hint, type)}
    named = re.findall(r"`(packages|runtime|scheduler|gates|monitoring)\.(\w+)`", PAGE)
    assert len(named) >= 5
    for part, field in named:
        assert field in parts[part].__struct_fields__, f"{part}.{field}"


def test_what_it_says_of_slurm_is_what_is_written() -> None:
    first, *_ = re.findall(
        r"^\| \| ([\d.]+) \| ([\d.]+), and what is not known to us \|$", PAGE, re.MULTILINE
    )
    assert [nodes_join(tuple(map(int, text.split(".")))) for text in first] == [True, False]  # type: ignore[arg-type]
    assert not nodes_join(None)
    cluster = Cluster(name="pod", nodes=(NodeGroup(names="n1", roles=("head", "compute")),))
    lead = Controller(name="n1", address="10.0.0.1", version=(24, 11))
    assert "`/etc/slurm/policy.conf`" in PAGE
    assert "\nInclude policy.conf\n" in render_slurm_conf(cluster, lead, ())


def test_what_it_says_of_figures_is_what_is_set() -> None:
    figures = section("Figures over time")
    assert f"(port {NODE_EXPORTER_PORT})" in figures
    defaults = (SHEETS[name].defaults for name in ("node_exporter", "prometheus"))
    told = {name: text.strip('"') for default in defaults for name, text in default.items()}
    assert told["node_exporter_listen"] == f":{NODE_EXPORTER_PORT}"
    assert f"({told['prometheus_listen']})" in figures
    assert "/etc/ogai/grafana-dashboard.json" in SHEETS["prometheus"].role.outcome.files
