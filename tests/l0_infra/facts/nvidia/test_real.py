"""The commands that ask `nvidia-smi`, run for real; the program itself is one that says what it is told to."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from l0_infra import probe_accelerators, probe_node
from l0_infra.core.exec import LocalRunner
from l0_infra.facts.ask import ask
from l0_infra.facts.nvidia import SOURCES
from l0_infra.facts.nvidia.sources import FABRIC_FILE, FABRIC_LOG, LOG
from tests.support.nvidia_answers import document

pytestmark = pytest.mark.real

CLOCKS = "<supported_graphics_clock>1980 MHz</supported_graphics_clock>\n" * 20_000
WITHIN = f"<uuid>GPU-3d51e0b7</uuid>\n<processes>\n</processes>\n{CLOCKS}<serial>16</serial>"


@pytest.fixture(scope="module")
def runner() -> Iterator[LocalRunner]:
    with LocalRunner() as local:
        yield local


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder first on PATH, for an `nvidia-smi` that notes how it was called."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def tool(folder: Path, body: str) -> None:
    (folder / "nvidia-smi").write_text(f'#!/bin/sh\necho "$*" >>{folder}/calls\n{body}\n')
    (folder / "nvidia-smi").chmod(0o755)


def test_the_document_comes_without_its_clocks_and_with_the_tool_s_exit_code(
    tools: Path, runner: LocalRunner
) -> None:
    (tools / "said").write_text(document(WITHIN))
    tool(tools, f"cat {tools}/said; echo warned >&2; exit 14")
    answer = ask(runner, (LOG,), 10)[LOG.name]
    assert (answer.end, answer.code, answer.err) == ("exit", 14, "warned")
    assert answer.out == document(WITHIN.replace(CLOCKS, "")).rstrip("\n")


def test_of_a_document_that_hangs_comes_what_was_said(tools: Path, runner: LocalRunner) -> None:
    (tools / "said").write_text(document(WITHIN).partition("<serial>")[0])
    many = document(*("<uuid>GPU-" + "0" * 9000 + "</uuid>" for _ in range(9)))
    (tools / "said").write_text(many.rpartition("<gpu")[0])
    tool(tools, f"cat {tools}/said; sleep 60")
    answer = ask(runner, (LOG,), 1)[LOG.name]
    assert answer.end == "hung" and answer.out.count("</gpu>") >= 5


def test_a_scheduler_never_asks_for_the_document(tools: Path, runner: LocalRunner) -> None:
    row = "0, NVIDIA L4, GPU-3f, 23034, 900, 7, 00000000:00:04.0, 570.133.20"
    tool(tools, f'case "$1" in --query-gpu=*) echo "{row}";; esac')
    (one,) = probe_accelerators(runner)
    assert one.processes == ()
    assert all(call.startswith("--query-") for call in (tools / "calls").read_text().splitlines())


def test_a_node_is_asked_in_every_form_at_once(tools: Path, runner: LocalRunner) -> None:
    (tools / "said").write_text(document(WITHIN))
    tool(
        tools,
        f'case "$*" in "-q -x") cat {tools}/said;; *--status) echo "GPU 0: L4 (UUID: GPU-3d51e0b7)";; esac',
    )
    facts = probe_node(runner, 1.0)
    (one,) = facts.accelerators
    assert (one.uuid, one.serial, one.links, one.processes) == ("GPU-3d51e0b7", "16", (), ())
    calls = [call for call in (tools / "calls").read_text().splitlines() if call != "topo -m"]
    assert len(calls) == len(
        [source for source in SOURCES if source.command.startswith(("nvidia-smi", "exec"))]
    )


def test_the_fabric_manager_s_log_comes_without_what_went_well(tmp_path: Path, runner: LocalRunner) -> None:
    good = "[Oct 13 2025 18:14:38] [INFO] [tid 2] all is well\n"
    bad = "[Oct 13 2025 18:14:39] [ERROR] [tid 2] detected NVSwitch fatal error 20034\nmoduleId : 5\n"
    log = tmp_path / "fabricmanager.log"
    log.write_text(good * 5000 + bad + good * 5000)
    source = type(FABRIC_LOG)(
        name="log", program="sh", command=FABRIC_LOG.command.replace(FABRIC_FILE, str(log))
    )
    out = ask(runner, (source,), 5)["log"].out
    assert out.startswith(bad) and len(out) < 1000
    log.unlink()
    answer = ask(runner, (source,), 5)["log"]
    assert answer.code == 1 and answer.err == f"cat: {log}: No such file or directory"
