"""The facts doctor tells are parsed from the kernel's own text, and the probe of this machine is whole."""

import fcntl
from pathlib import Path

import msgspec
import pytest

from ogai.flows.doctor import Diagnosis, parse_lock_held, probe

LOCKS = """\
1: POSIX  ADVISORY  WRITE 300 fe:00:77 0 EOF
2: FLOCK  ADVISORY  WRITE 301 fe:00:41 0 EOF
3: FLOCK  ADVISORY  READ 302 00:28:177 0 EOF
3: -> FLOCK  ADVISORY  WRITE 303 fe:00:90 0 EOF
"""


@pytest.mark.parametrize(("inode", "held"), [(41, True), (177, True), (77, False), (7, False), (90, False)])
def test_a_lock_is_seen(inode: int, held: bool) -> None:
    assert parse_lock_held(LOCKS, inode) is held


def test_the_agent_is_alive_while_its_lock_is_held(tmp_path: Path) -> None:
    lock = tmp_path / "scheduler/agent.lock"
    lock.parent.mkdir()
    lock.touch()
    environ = {"OGAI_HOME": str(tmp_path), "PATH": ""}
    assert not probe(environ, ()).agent_alive
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert probe(environ, ()).agent_alive
    assert not probe(environ, ()).agent_alive


def test_tools_are_those_of_the_path(tmp_path: Path) -> None:
    tool = tmp_path / "npu-smi"
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o755)
    diagnosis = probe({"PATH": str(tmp_path), "OGAI_HOME": str(tmp_path / "not/yet")}, ())
    paths = {found.name: found.path for found in diagnosis.accelerator_tools}
    assert paths["npu-smi"] == str(tool)
    assert paths["nvidia-smi"] is None
    assert diagnosis.home.path == str(tmp_path / "not/yet")
    assert diagnosis.home.writable
    assert not (tmp_path / "not").exists()


def test_a_diagnosis_survives_json(tmp_path: Path) -> None:
    diagnosis = probe({"PATH": "", "OGAI_HOME": str(tmp_path)}, ())
    assert msgspec.json.decode(msgspec.json.encode(diagnosis), type=Diagnosis) == diagnosis
    assert diagnosis.machine.cpus >= 1
    assert diagnosis.machine.memory_bytes > 2**20
