"""The script that has the controller describe a node as it is, with `scontrol` and `systemctl` played by a folder.

What they do was seen of Slurm 22.05.8 and 24.11.5: a node that joined keeps its first description; deleting it is
refused while something runs on it; a deleted node joins again, undrained, when slurmd starts.
"""

import os
import subprocess
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest

SCRIPT = Path(str(files("l1_podsys"))) / "ansible/roles/slurm_node/files/known.sh"
SCONTROL = """#!/bin/sh
echo "$*" >>"$PLAY/asked"
case "$*" in
*"show node"*) [ -e "$PLAY/record" ] && cat "$PLAY/record" ;;
delete*) [ ! -e "$PLAY/busy" ] || { echo "Requested nodes are busy" >&2; exit 1; }; rm "$PLAY/record" ;;
esac
"""
SYSTEMCTL = """#!/bin/sh
echo "systemctl $*" >>"$PLAY/asked"
cp "$PLAY/joins" "$PLAY/record"
"""
WANTED = "CPUs=8 Boards=1 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=30976 Gres=gpu:l4:2 Feature=l4"


def record(
    *, memory: int = 30976, gres: str = "gpu:l4:2(S:0-1)", features: str = "l4", drained: bool = False
) -> str:
    return (
        f"NodeName=cn1 Arch=x86_64 CoresPerSocket=4 CPUAlloc=0 CPUEfctv=8 CPUTot=8 AvailableFeatures={features}"
        f" ActiveFeatures={features} Gres={gres} NodeAddr=10.0.0.2 RealMemory={memory} Sockets=2 Boards=1"
        f" State={'IDLE+DRAIN+DYNAMIC_NORM' if drained else 'IDLE+DYNAMIC_NORM'} ThreadsPerCore=1 Partitions=main"
        + (" Reason=ogai:kim two fans [root@2026-12-01T03:22:21]" if drained else "")
        + "\n"
    )


@dataclass
class Play:
    folder: Path

    def write(self, name: str, text: str = "") -> None:
        (self.folder / name).write_text(text)

    def asked(self, *, of: str) -> list[str]:
        lines = (self.folder / "asked").read_text().splitlines()
        return [line for line in lines if line.startswith(of)]

    def run(self, wanted: str = WANTED) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "PLAY": str(self.folder)}
        return subprocess.run(
            ["sh", str(SCRIPT), "10.0.0.1:6817", wanted],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def play(tmp_path: Path) -> Play:
    for name, text in (("scontrol", SCONTROL), ("systemctl", SYSTEMCTL)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "joins").write_text(record())
    return Play(tmp_path)


def test_a_node_known_as_it_is_is_left_alone(play: Play) -> None:
    play.write("record", record(features="l4,someone_elses"))
    ended = play.run()
    assert (ended.returncode, ended.stdout) == (0, "")
    assert play.asked(of="delete") == play.asked(of="systemctl") == []


def test_a_node_without_accelerators_is_known_as_it_is(play: Play) -> None:
    play.write("record", record(gres="(null)"))
    assert play.run(WANTED.replace("Gres=gpu:l4:2 ", "")).stdout == ""


@pytest.mark.parametrize(
    "known",
    [{"memory": 20000}, {"gres": "gpu:l4:1"}, {"gres": "(null)"}, {"features": "other"}],
    ids=lambda known: "-".join(known),
)
def test_a_node_known_otherwise_is_forgotten_and_joins_again(play: Play, known: dict[str, object]) -> None:
    play.write("record", record(**known))  # type: ignore[arg-type]
    ended = play.run()
    assert (ended.returncode, ended.stdout) == (0, "changed: described anew\n")
    assert len(play.asked(of="delete")) == len(play.asked(of="systemctl restart slurmd")) == 1
    assert play.asked(of="update") == []


def test_an_accelerator_that_is_there_no_more_is_seen(play: Play) -> None:
    play.write("record", record())
    play.write("joins", record(gres="(null)"))
    assert "described anew" in play.run(WANTED.replace("Gres=gpu:l4:2 ", "")).stdout


def test_a_drain_is_taken_over_with_its_reason(play: Play) -> None:
    play.write("record", record(memory=1, drained=True))
    assert play.run().returncode == 0
    (line,) = play.asked(of="update")
    assert line.endswith("state=drain reason=ogai:kim two fans")


def test_a_node_at_work_is_not_touched_and_it_is_said_what_to_do(play: Play) -> None:
    play.write("record", record(memory=20000))
    play.write("busy")
    ended = play.run()
    assert ended.returncode == 1
    assert "found RealMemory=20000" in ended.stderr
    assert "Drain it" in ended.stderr
    assert play.asked(of="systemctl") == []


def test_a_node_that_the_controller_forgot_joins_again(play: Play) -> None:
    ended = play.run()
    assert (ended.returncode, ended.stdout) == (0, "changed: joined\n")


def test_a_node_that_joins_otherwise_than_wanted_is_a_fault(play: Play) -> None:
    play.write("record", record(memory=20000))
    play.write("joins", record(memory=25000))
    ended = play.run()
    assert ended.returncode == 1
    assert "found RealMemory=25000 at the controller; expected" in ended.stderr


def test_a_node_that_slurm_conf_lists_need_only_be_known(play: Play) -> None:
    play.write("record", record(memory=1))
    assert (play.run("").returncode, play.asked(of="delete")) == (0, [])
