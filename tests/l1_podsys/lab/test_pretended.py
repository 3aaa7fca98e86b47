"""The stand-in for the vendor's tool says of pretended accelerators what the facts of a node are made of."""

import subprocess
from pathlib import Path

import pytest

from l0_infra import load_devices, match_device
from l0_infra.facts.nvidia.sources import FORMS
from l1_podsys.lab.pretended import device_files, render_tool
from tests.support.nvidia_answers import found


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    file = tmp_path / "nvidia-smi"
    file.write_text(render_tool("lab-2", 3))
    file.chmod(0o755)
    return file


def test_every_form_that_is_asked_is_read_without_a_complaint(tool: Path) -> None:
    said = {}
    for form in FORMS:
        command = ["sh", "-c", form.command]
        done = subprocess.run(
            command, env={"PATH": f"{tool.parent}:/usr/bin:/bin"}, capture_output=True, text=True, check=True
        )
        said[form.name] = done.stdout
    told = found(said)
    assert told.unread == ()
    assert [one.device_file for one in told.accelerators] == list(device_files(3))
    assert {one.model for one in told.accelerators} == {"NVIDIA L4"}
    assert len({one.uuid for one in told.accelerators}) == len({one.pci for one in told.accelerators}) == 3
    assert [one.processes for one in told.accelerators] == [(), (), ()]


def test_the_card_has_a_data_sheet(tool: Path) -> None:
    log = subprocess.run([tool, "-q", "-x"], capture_output=True, text=True, check=True).stdout
    (first, *_) = found({"nvidia-smi-q-x.xml": log}).accelerators
    sheet = match_device(first, load_devices())
    assert sheet is not None and sheet.name == "l4"


def test_hosts_have_cards_of_their_own() -> None:
    assert render_tool("lab-2", 1) != render_tool("lab-3", 1)
    assert render_tool("lab-2", 1) == render_tool("lab-2", 1)


def test_what_it_does_not_know_it_refuses(tool: Path) -> None:
    done = subprocess.run([tool, "--gpu-reset"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "") and "--gpu-reset" in done.stderr
