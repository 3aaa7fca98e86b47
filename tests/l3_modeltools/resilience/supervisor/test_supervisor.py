"""A real supervisor over real ranks: whatever is killed, the run goes on, to the same losses; or nothing is left."""

import os
import signal
from pathlib import Path

import pytest
from msgspec.structs import replace

from l3_modeltools.runs import read_marks
from l3_modeltools.schemas import Checkpointing, Resilience, Train
from tests.support.rank_runs import Told, descendants, make_data, make_run, read_told, recut, small_train
from tests.support.supervised import supervised, wait_until

pytestmark = pytest.mark.real

STEPS = 90


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> Train:
    """Two copies, with a checkpoint now and then that is never needed."""
    data = make_data(tmp_path_factory.mktemp("data"))
    small = small_train(data, steps=STEPS)
    return recut(replace(small, checkpoint=Checkpointing(every_steps=30, keep_last=2)), ranks=2)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, train: Train) -> dict[int, Told]:
    run = make_run(tmp_path_factory.mktemp("undisturbed") / "run", train)
    with supervised(run) as alone:
        assert alone.end() == 0, alone.log
        assert alone.faults == ()
    return read_told(run)


def test_ranks_and_nursery_may_be_killed_and_hang(
    tmp_path: Path, train: Train, undisturbed: dict[int, Told]
) -> None:
    run = make_run(tmp_path / "run", train)
    with supervised(run) as alive:
        alive.wait_for_step(12)
        names = [Path(f"/proc/{pid}/comm").read_text().strip() for pid in (alive.nursery, *alive.ranks)]
        assert names == ["ogai nursery", "ogai rank 0", "ogai rank 1"]
        alive.signal_rank(1, signal.SIGKILL)
        alive.wait_until(lambda: len(alive.sources) == 2)
        alive.wait_for_step(alive.step() + 12)
        alive.signal_rank(0, signal.SIGSTOP)
        alive.wait_until(lambda: len(alive.sources) == 3)
        alive.wait_for_step(alive.step() + 12)
        os.kill(alive.nursery, signal.SIGKILL)
        assert alive.end() == 0, alive.log
        killed, hung, both = alive.faults
        assert (killed.fault_class, [who.rank for who in killed.suspects]) == ("killed", [1])
        assert (hung.fault_class, [who.rank for who in hung.suspects]) == ("hang", [0])
        assert both.fault_class == "killed"
        assert [fault.redone_steps for fault in (killed, hung)] == [0, 0]
        assert all(fault.resumed_at and fault.taken == "restart_worker" for fault in alive.faults)
        first, *mended, last = [source for _, source in alive.sources]
        assert (first, mended) == ("nothing", ["memory", "memory"])
        assert last in ("memory", "checkpoint")  # nobody survived: whichever is newer
    assert read_told(run) == undisturbed


def test_a_supervisor_that_is_killed_takes_all_with_it_and_the_next_goes_on(
    tmp_path: Path, train: Train, undisturbed: dict[int, Told]
) -> None:
    run = make_run(tmp_path / "run", train)
    with supervised(run) as first:
        first.wait_until(lambda: (run / "checkpoints" / "step-00000030" / "manifest.json").exists())
        left = descendants(first.process.pid)
        first.process.kill()
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))
    with supervised(run) as second:
        assert second.end() == 0, second.log
        assert second.sources[1][1] == "checkpoint"
    assert read_told(run) == undisturbed


def test_a_wish_to_end_saves_at_any_time(tmp_path: Path, train: Train) -> None:
    run = make_run(tmp_path / "run", train)
    with supervised(run) as early:
        wait_until(lambda: bool(read_marks(run)))
        early.process.send_signal(signal.SIGTERM)
        assert early.end() == 128 + signal.SIGTERM
    with supervised(run) as later:
        later.wait_for_step(5)
        later.process.send_signal(signal.SIGTERM)
        assert later.end() == 128 + signal.SIGTERM, later.log
        assert later.faults == ()
    assert list((run / "checkpoints").glob("step-*/manifest.json"))


def test_what_would_come_again_is_given_up(tmp_path: Path, train: Train) -> None:
    data = train.data
    assert data is not None
    gone = replace(data, mixture=(replace(data.mixture[0], dataset=str(tmp_path / "gone.json")),))
    run = make_run(tmp_path / "run", replace(train, data=gone))
    with supervised(run) as refused:
        assert refused.end() in (2, 3), refused.log
        (fault,) = refused.faults
        assert (fault.section, fault.taken) == ("setup", "give_up")
        assert "gone.json" in fault.summary
    assert read_marks(run)[-1].mark == "ended"


def test_a_trainer_that_cannot_be_imported_asks_for_another_start(tmp_path: Path, train: Train) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "transformers.py").write_text("raise ImportError('half an installation')\n")
    run = make_run(tmp_path / "run", replace(train, resilience=Resilience(backoff_s=0.1)))
    root = Path(__file__).parents[4]
    with supervised(run, PYTHONPATH=f"{broken}:{root}:{root / 'cli'}") as stuck:
        assert stuck.end() == 75, stuck.log
        assert [fault.taken for fault in stuck.faults] == ["restart_worker", "restart_job"]
        assert "half an installation" in stuck.faults[0].summary


@pytest.mark.parametrize("damage", ["errors: [", None])
def test_damaged_errors_of_a_persons_own_cost_no_run(
    tmp_path: Path, train: Train, damage: str | None
) -> None:
    own = tmp_path / "home" / "errors.yaml"
    own.parent.mkdir()
    if damage is None:
        os.mkfifo(own)
    else:
        own.write_text(damage)
    run = make_run(tmp_path / "run", replace(recut(train, ranks=1), steps=3))
    with supervised(run) as alone:
        assert alone.end() == 0, alone.log
        assert "errors.yaml" in alone.log and "goes on without" in alone.log


def test_a_stopped_nursery_does_not_hold_the_run_up(
    tmp_path: Path, train: Train, undisturbed: dict[int, Told]
) -> None:
    run = make_run(tmp_path / "run", train)
    with supervised(run) as alive:
        alive.wait_for_step(12)
        os.kill(alive.nursery, signal.SIGSTOP)
        alive.signal_rank(1, signal.SIGKILL)
        assert alive.end() == 0, alive.log
        (fault,) = alive.faults
        assert (fault.fault_class, fault.taken) == ("killed", "restart_worker")
    assert read_told(run) == undisturbed


def test_a_wish_to_end_during_a_recovery_saves_what_is_in_memory(tmp_path: Path, train: Train) -> None:
    run = make_run(tmp_path / "run", replace(train, steps=2_000))  # not done before the wish is heard
    with supervised(run) as alive:
        alive.wait_for_step(12)
        alive.signal_rank(1, signal.SIGKILL)
        alive.process.send_signal(signal.SIGTERM)
        assert alive.end() == 128 + signal.SIGTERM, alive.log
        assert [fault.taken for fault in alive.faults] == ["restart_worker"]
    (saved,) = (run / "checkpoints").glob("step-*/manifest.json")
    assert int(saved.parent.name.removeprefix("step-")) >= 12
