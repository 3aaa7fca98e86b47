"""What `ogai job submit` refuses: each bad document by its line, each bad flag by its name, with the mend."""

import shlex
from pathlib import Path

import pytest

from tests.cli.job.conftest import CASES, Ogai

pytestmark = pytest.mark.real


def pairs(name: str) -> list[tuple[str, str]]:
    lines = (CASES / name).read_text().splitlines()
    return [(typed, expected) for typed, _, expected in (line.partition(" => ") for line in lines)]


@pytest.mark.parametrize("case", (CASES / "documents.txt").read_text().splitlines())
def test_a_bad_document_is_told_by_its_line(ogai: Ogai, case: str) -> None:
    name, place, found = case.split(" ", 2)
    said = ogai("job", "submit", str(CASES / name))
    assert said.code == 2
    assert f"error: {CASES / name}:{place}: found {found}; expected " in said.err
    assert said.out == "" and "Traceback" not in said.err


@pytest.mark.parametrize(("typed", "expected"), pairs("flags.txt"))
def test_a_bad_flag_is_told_by_its_name(ogai: Ogai, typed: str, expected: str) -> None:
    said = ogai("job", "submit", *shlex.split(typed))
    assert said.code == 2
    assert expected in said.err
    assert said.out == "" and "Traceback" not in said.err
    assert ogai("job", "list", "--all", "-o", "json").out == "[]\n"


@pytest.mark.parametrize(("typed", "meant"), pairs("corrections.txt"))
def test_a_wrong_use_is_answered_with_the_right_command(ogai: Ogai, typed: str, meant: str) -> None:
    Path("train.py").write_text("print(1)\n")
    script = Path("run.sh")
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    said = ogai("job", "submit", *shlex.split(typed))
    assert said.code == 2
    assert meant in said.err


def test_all_faults_of_file_and_flags_come_at_once(ogai: Ogai) -> None:
    said = ogai("job", "submit", str(CASES / "zero-cpus.yaml"), "--time", "2x", "--set", "retry.limit=no")
    assert said.code == 2
    assert "zero-cpus.yaml:5:18" in said.err
    assert "--time: found `2x`" in said.err
    assert "--set retry.limit=no: found `no`" in said.err
    assert "3 faults" in said.err


def test_what_can_never_run_here_is_refused_with_its_own_code(ogai: Ogai) -> None:
    said = ogai("job", "submit", "--cpus", "100000", "--", "true")
    assert said.code == 3
    assert "100000 CPUs" in said.err
