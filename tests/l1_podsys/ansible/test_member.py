"""The mark of a cluster on a node: written once, kept from others, and taken away by its own cluster alone."""

import subprocess
from pathlib import Path

import pytest

from l0_infra import role_folder
from l0_infra.core.exec import LocalRunner
from l1_podsys import unmark_command
from l1_podsys.bringup import membership
from tests.support.facts import facts_of

SCRIPT = role_folder("l1_podsys") / "member/files/mark.sh"


def mark(file: Path, cluster: str, number: str) -> "subprocess.CompletedProcess[str]":
    argv = ["sh", "-s", "--", str(file), cluster, number]
    return subprocess.run(argv, input=SCRIPT.read_text(), text=True, capture_output=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "etc/cluster"


def test_it_is_written_once_and_read_with_the_facts(file: Path) -> None:
    first, again = mark(file, "pod", "5f"), mark(file, "pod", "5f")
    assert (first.returncode, first.stdout, again.returncode, again.stdout) == (0, "changed\n", 0, "")
    lines = "".join(f"{membership.MARK}:{line}\n" for line in file.read_text().splitlines())
    member = facts_of({"system.txt": lines}).member_of
    assert member is not None and (member.cluster, member.id) == ("pod", "5f")
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(("cluster", "number"), [("blue", "5f"), ("pod", "60")])
def test_anothers_is_not_taken_over(file: Path, cluster: str, number: str) -> None:
    mark(file, "pod", "5f")
    before = file.read_text()
    refused = mark(file, cluster, number)
    if cluster == "pod":
        assert refused.returncode == 1 and "belongs to cluster pod by now" in refused.stderr
        assert file.read_text() == before
    else:  # the id is the same: it was given another name
        assert refused.returncode == 0 and "cluster=blue" in file.read_text()
    assert list(file.parent.iterdir()) == [file]


def test_what_says_nothing_is_written_anew(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("")
    assert mark(file, "pod", "5f").stdout == "changed\n"


@pytest.mark.parametrize(("number", "there"), [("5f", False), ("5", True), ("60", True)])
def test_its_own_cluster_alone_takes_it_away(file: Path, number: str, there: bool) -> None:
    mark(file, "pod", "5f")
    command = unmark_command(number, sudo=False)
    here = (*command.argv[:3], str(file), *command.argv[4:])
    assert LocalRunner().run(type(command)(argv=here, stdin=command.stdin)).ok
    assert file.exists() == there
