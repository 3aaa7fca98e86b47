"""The roles as users of Ansible meet them: lint is silent, variables are declared and used, the order is kept."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from l0_infra import RoleSheet, load_roles, role_folder

FOLDERS = tuple(role_folder(package) for package in ("l0_infra", "l1_podsys"))
SHEETS = {sheet.role.name: sheet for folder in FOLDERS for sheet in load_roles(folder)}
SITE = FOLDERS[1].parent / "site.yml"
MODULES = FOLDERS[0].parent / "plugins" / "modules"
WORDS = {
    *(
        "name",
        "when",
        "notify",
        "register",
        "changed_when",
        "failed_when",
        "loop",
        "loop_control",
        "vars",
        "block",
    ),
    *(
        "rescue",
        "always",
        "no_log",
        "until",
        "retries",
        "delay",
        "listen",
        "become",
        "become_user",
        "environment",
    ),
    *("args", "check_mode", "tags"),
}
"""What a task says beside its module."""
LINT = Path(sys.executable).with_name("ansible-lint")


def texts_of(sheet: RoleSheet, *parts: str) -> Iterator[str]:
    for part in parts:
        yield from (path.read_text() for path in (sheet.folder / part).rglob("*") if path.is_file())


def options_of(sheet: RoleSheet) -> dict[str, Any]:
    loaded = yaml.safe_load((sheet.folder / "meta/argument_specs.yml").read_text())
    return dict(loaded["argument_specs"]["main"]["options"])


def tasks_in(found: object) -> Iterator[dict[str, Any]]:
    """Yield the tasks of a file, those within blocks too."""
    if isinstance(found, list):
        for one in found:
            yield from tasks_in(one)
    elif isinstance(found, dict):
        yield found
        for name in ("block", "rescue", "always"):
            yield from tasks_in(found.get(name, []))


def made_in(sheet: RoleSheet) -> set[str]:
    """Name the variables that tasks make for themselves."""
    made = set[str]()
    for text in texts_of(sheet, "tasks", "handlers"):
        for task in tasks_in(yaml.safe_load(text)):
            made |= {
                *task.get("vars", {}),
                task.get("register", ""),
                *task.get("ansible.builtin.set_fact", {}),
            }
            made.add(task.get("loop_control", {}).get("loop_var", ""))
    return made


def named_in(sheet: RoleSheet, text: str) -> set[str]:
    return set(re.findall(rf"\b{sheet.role.name}_[a-z0-9_]+\b", text))


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=lambda sheet: sheet.role.name)
def test_every_variable_is_declared_and_used(sheet: RoleSheet) -> None:
    options = options_of(sheet)
    used = set[str]().union(
        *(named_in(sheet, text) for text in texts_of(sheet, "tasks", "handlers", "templates"))
    )
    outcome = named_in(sheet, (sheet.folder / "meta/ogai.yml").read_text())
    others = {name for name in SHEETS if name.startswith(f"{sheet.role.name}_")}
    files = {path.stem.replace(".", "_") for path in sheet.folder.rglob("*") if path.is_file()}
    assert used - made_in(sheet) - options.keys() - others - files == set()
    assert options.keys() - used - outcome == set()


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=lambda sheet: sheet.role.name)
def test_defaults_are_those_that_are_declared(sheet: RoleSheet) -> None:
    path = sheet.folder / "defaults/main.yml"
    defaults = yaml.safe_load(path.read_text()) if path.exists() else {}
    declared = {name: option["default"] for name, option in options_of(sheet).items() if "default" in option}
    assert defaults == declared


@pytest.mark.parametrize("name", ["tasks", "handlers"])
def test_no_task_is_outside_the_core_or_our_own_modules(name: str) -> None:
    ours = {path.stem for path in MODULES.glob("*.py")}
    for sheet in SHEETS.values():
        for text in texts_of(sheet, name):
            for task in tasks_in(yaml.safe_load(text)):
                modules = task.keys() - WORDS
                assert all(module.startswith("ansible.builtin.") or module in ours for module in modules)


@pytest.mark.parametrize("play", range(len(yaml.safe_load(SITE.read_text()))))
def test_the_playbook_for_use_by_hand_keeps_the_order_of_the_roles(play: int) -> None:
    names = [one["role"] for one in yaml.safe_load(SITE.read_text())[play]["roles"]]
    for place, name in enumerate(names):
        later = names[place + 1 :]
        assert not set(SHEETS[name].role.after) & set(later), name


def test_the_playbook_for_use_by_hand_knows_every_role() -> None:
    plays = yaml.safe_load(SITE.read_text())
    assert {one["role"] for play in plays for one in play["roles"]} == SHEETS.keys()


@pytest.mark.parametrize(
    "script", sorted(path for folder in FOLDERS for path in folder.rglob("*.sh")), ids=lambda path: path.name
)
def test_a_script_is_one_for_any_shell(script: Path) -> None:
    shell = shutil.which("dash") or "sh"
    subprocess.run([shell, "-n", str(script)], check=True)


@pytest.mark.real
@pytest.mark.skipif(not LINT.exists(), reason="ansible-lint is not installed")
def test_lint_finds_nothing(tmp_path: Path) -> None:
    root = FOLDERS[1].parents[2]
    told = subprocess.run(
        [
            str(LINT),
            "--nocolor",
            "--offline",
            "-q",
            "--format",
            "pep8",
            str(FOLDERS[0].parent),
            str(SITE.parent),
        ],
        cwd=root,
        env={
            **os.environ,
            "ANSIBLE_LIBRARY": str(MODULES),
            "ANSIBLE_ROLES_PATH": ":".join(map(str, FOLDERS)),
            "ANSIBLE_HOME": str(tmp_path),
            "PATH": f"{LINT.parent}:{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert told.returncode == 0, told.stdout + told.stderr
