"""Real processes: killed while they save, and loading on another number of ranks than saved."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[3]
ROUNDS = int(os.environ.get("PROVE_EXAMPLES", "8"))
SEED = int.from_bytes(os.urandom(3))


def run(script: str, *words: object) -> str:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    command = [sys.executable, str(HERE / script), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_kill_at_any_moment_leaves_the_newest_checkpoint_as_it_was(tmp_path: Path, ranks: int) -> None:
    done = json.loads(run("kill_rounds.py", tmp_path / "checkpoints", ranks, ROUNDS, SEED))
    assert done["kills"] == ROUNDS * ranks
    assert done["saved"] and done["half_written"], "no kill met a save: the moments are ill chosen"


def test_a_kill_before_any_change_of_the_disk_leaves_the_newest_checkpoint_as_it_was(tmp_path: Path) -> None:
    done = json.loads(run("kill_rounds.py", tmp_path / "checkpoints"))
    assert done["kills"] > 15, "the save made too few changes for what it must do"
    assert done["saved"] > 3, "no kill met the removal of what was superseded"


def test_what_one_rank_cannot_write_no_rank_takes_for_saved(tmp_path: Path) -> None:
    run("one_rank_fails.py", tmp_path)


@pytest.mark.parametrize(
    ("saved_as", "loaded_as"),
    [("ddp:2", ["ddp:1", "fsdp:3"]), ("fsdp:2", ["fsdp:1", "ddp:3"])],
    ids=["ddp", "fsdp"],
)
def test_what_two_ranks_saved_others_load(tmp_path: Path, saved_as: str, loaded_as: list[str]) -> None:
    run("reshard.py", tmp_path, saved_as, *loaded_as)


def test_a_kill_while_the_state_is_copied_in_memory_leaves_the_copy_before(tmp_path: Path) -> None:
    done = json.loads(run("copy_rounds.py", 3 * ROUNDS, SEED))
    assert done["kills"] == 3 * ROUNDS
    assert done["torn"], "no kill met a copy: the moments are ill chosen"
