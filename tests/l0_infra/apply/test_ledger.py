"""The ledger: what was written is there for the next run, and what is forgotten is gone."""

import signal
import subprocess
import sys
from pathlib import Path

from l0_infra.apply import Entry, Ledger, RunRecord

ROOT = Path(__file__).parents[3]


def entry(step: str, **more: object) -> Entry:
    node, _, name = step.partition(":")
    settings: dict[str, object] = {
        "id": step,
        "node": node,
        "name": name,
        "key": "k",
        "state": "done",
        **more,
    }
    return Entry(**settings)  # type: ignore[arg-type]


def test_a_step_is_kept_as_it_was_last_left(tmp_path: Path) -> None:
    with Ledger.at(tmp_path / "l.db") as ledger:
        ledger.save(entry("n1:base", state="begun"), entry("n2:base"))
        ledger.save(entry("n1:base", state="failed", message="no room"))
    with Ledger.at(tmp_path / "l.db") as ledger:
        assert ledger.entries(["n1"]) == {"n1:base": entry("n1:base", state="failed", message="no room")}
        assert ledger.nodes() == ("n1", "n2")


def test_what_was_found_is_noted_only_of_done_steps(tmp_path: Path) -> None:
    with Ledger.at(tmp_path / "l.db") as ledger:
        ledger.save(entry("n1:base"), entry("n1:time", state="failed"))
        ledger.note_found({"n1:base": {"file /a": "644"}, "n1:time": {"file /b": "644"}})
        entries = ledger.entries()
    assert entries["n1:base"].found_items() == {"file /a": "644"} and entries["n1:base"].mark
    assert entries["n1:time"].found_items() == {} and entries["n1:time"].mark is None


def test_forgotten_nodes_are_gone_and_runs_stay(tmp_path: Path) -> None:
    with Ledger.at(tmp_path / "l.db") as ledger:
        ledger.save(entry("n1:base"), entry("n2:base"))
        ledger.begin_run(RunRecord(id="a", what="up", began_at=1.0))
        ledger.begin_run(RunRecord(id="b", what="up", began_at=2.0))
        ledger.end_run("a", 3.0, "done")
        ledger.forget(["n1"])
        assert ledger.nodes() == ("n2",)
        assert [(run.id, run.outcome) for run in ledger.last_runs(5)] == [("b", ""), ("a", "done")]


WRITER = """
import os, signal, sys
from pathlib import Path
from l0_infra.apply import Entry, Ledger
ledger = Ledger(Path(sys.argv[1]))
for number in range(20):
    ledger.save(Entry(id=f"n{number}:base", node=f"n{number}", name="base", key="k", state="done"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_loses_nothing_that_was_written(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", WRITER, str(tmp_path / "l.db")], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    with Ledger.at(tmp_path / "l.db") as ledger:
        assert len(ledger.entries()) == 20
