"""`ogai lab` where there is no lab: what is refused, what is said, what programs get."""

import json
from pathlib import Path

import click
import pytest

from l1_podsys.lab.breaks import BREAKS
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.store import save_lab
from ogai.commands.lab.arguments import HOST, KIND, LAB
from ogai.flows.lab import HostReport, LabReport
from ogai.main import main
from ogai.render.lab import print_labs
from tests.support.labs import a_lab

CONTEXT, PARAMETER = click.Context(click.Command("lab")), click.Argument(["word"])
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def test_without_labs_the_list_is_empty_for_programs_and_a_hint_for_people(capsys: Captured) -> None:
    assert main(["lab", "list"]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "no labs; `ogai lab up` makes one\n")
    assert main(["lab", "list", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_taking_down_what_is_not_there_is_no_failure(capsys: Captured) -> None:
    assert main(["lab", "down"]) == 0
    assert main(["lab", "down", "--all"]) == 0
    assert capsys.readouterr().err == "lab lab: there was none\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["exec", "lab-1", "--", "true"], "`lab-1`, which no lab has; expected a host of a lab"),
        (["exec", "", "--", "true"], "found no name"),
        (["shell", "lab-1"], "`lab-1`, which no lab has"),
        (["break", "cable", "lab-[1-2]"], "`lab-[1-2]`, which no lab has"),
        (["break", "meteor", "lab-1"], "found `meteor`; expected one of power-off, cable, freeze"),
        (["break", "freze", "lab-1"], "did you mean: freeze"),
        (["break", "lab-1", "cable"], "did you mean: ogai lab break cable lab-1"),
        (["up", "--output", "nowhere/lab.yaml"], "nowhere/lab.yaml: found no folder nowhere"),
        (["heal"], "found nothing; expected [KIND] NODESET, or --all"),
        (["heal", "cable", "lab-1", "--all"], "expected [KIND] NODESET, or --all"),
        (["heal", "meteor", "--all"], "found `meteor`; expected one of power-off"),
        (["down", "lab", "--all"], "found `lab` beside it; expected a name, or --all"),
        (["up", "--nodes", "0"], "--nodes: found 0; expected from 1 to 200 hosts"),
        (["up", "--name", "My Lab"], "lab name: found `My Lab`"),
        (["up", "--memory", "2G"], "--memory: found"),
    ],
)
def test_wrong_uses_are_refused_with_what_would_be_right(
    words: list[str], said: str, home: Path, capsys: Captured
) -> None:
    assert main(["lab", *words]) == 2
    assert said in capsys.readouterr().err
    assert not (home / "labs").exists()


def test_the_help_lists_every_way_to_break_a_host(capsys: Captured) -> None:
    assert main(["lab", "break", "--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"  {name} " in told for name in BREAKS)


def test_a_line_for_each_host_says_how_it_is(capsys: Captured) -> None:
    off = HostReport(
        name="lab-1",
        address="10.217.0.2",
        state="off",
        broken=("power-off",),
        memory_bytes=None,
        accelerators=0,
    )
    bad = HostReport(
        name="lab-2",
        address="10.217.0.3",
        state="on",
        broken=("cable", "slow-cpu"),
        memory_bytes=2**30,
        accelerators=2,
    )
    print_labs([LabReport(name="lab", os="debian13", network="10.217.0.0/24", folder="/x", hosts=(off, bad))])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["LAB", "OS", "HOST", "ADDRESS", "STATE", "BROKEN", "MEMORY", "GPUS"],
        ["lab", "debian13", "lab-1", "10.217.0.2", "off", "power-off", "all", "0"],
        ["lab", "debian13", "lab-2", "10.217.0.3", "on", "cable,", "slow-cpu", "1", "GiB", "2"],
    ]


def test_the_shell_completes_kinds_hosts_and_labs(home: Path) -> None:
    lab = a_lab(nodes=2, name="trial")
    (home / "labs" / "trial").mkdir(parents=True)
    save_lab(Layout.of(home, "trial"), lab)
    offered = {
        word.name: [item.value for item in word.shell_complete(CONTEXT, PARAMETER, start)]
        for word, start in ((KIND, "s"), (HOST, "trial-"), (LAB, ""))
    }
    assert offered == {"kind": ["slow-cpu", "slow-net"], "nodeset": ["trial-1", "trial-2"], "lab": ["trial"]}


def test_a_shell_is_given_on_one_host_and_not_on_the_first_of_several(home: Path, capsys: Captured) -> None:
    (home / "labs" / "trial").mkdir(parents=True)
    save_lab(Layout.of(home, "trial"), a_lab(nodes=2, name="trial"))
    assert main(["lab", "shell", "trial-[1-2]"]) == 2
    assert "found 2 hosts; expected one host" in capsys.readouterr().err
