"""Whatever a job or an accident puts in the place of the engine's files, nobody hangs and no outcome is invented."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.documents import parse_document
from l0_infra.core.errors import DocumentError, EngineError, UsageError
from l2_scheduler.local.agent_process import agent_identity, last_line
from l2_scheduler.local.arrays import expand_indices
from l2_scheduler.local.attempts import observe_attempt, read_exit, read_keeper
from l2_scheduler.local.bell import Bell, ring
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.locks import exclusive
from l2_scheduler.local.processes import leftovers
from l2_scheduler.local.queue import JobQueue
from l2_scheduler.local.queues_file import load_queues
from l2_scheduler.local.shell import Shell
from l2_scheduler.local.shim.files import ring as ring_from_shim
from l2_scheduler.schemas import Job

SOUND = {
    "state": "COMPLETED",
    "reason": "",
    "exit_code": 0,
    "signal": None,
    "started_at": 1.0,
    "ended_at": 2.0,
    "elapsed_s": 1.0,
}

Place = Callable[[Path], object]
REPLACEMENTS: tuple[Place, ...] = (os.mkfifo, Path.mkdir, lambda path: path.write_bytes(b"\xff{"))


@pytest.mark.parametrize("place", REPLACEMENTS)
def test_what_is_no_file_of_ours_is_no_news(tmp_path: Path, place: Place) -> None:
    for name in ("exit.json", "shim.json", "processes.json", "agent.json"):
        place(tmp_path / name)
    outcome = read_exit(tmp_path, 5.0)
    assert outcome is not None
    assert outcome.state == "NODE_FAIL"
    assert read_keeper(tmp_path) is None
    assert leftovers(tmp_path, "no such token") == frozenset()
    assert agent_identity(Layout(tmp_path)) is None
    assert last_line(tmp_path / "agent.json") in ("no log of it", "\ufffd{")


@pytest.mark.parametrize(
    "lie",
    [
        {"state": "PENDING"},
        {"state": "RUNNING"},
        {"exit_code": 2**64},
        {"signal": -1},
        {"started_at": 1e300},
        {"peak_memory_bytes": 2**70},
    ],
)
def test_an_outcome_no_shim_writes_is_damage(tmp_path: Path, lie: dict[str, object]) -> None:
    (tmp_path / "exit.json").write_bytes(msgspec.json.encode({**SOUND, **lie}))
    outcome = read_exit(tmp_path, 5.0)
    assert outcome is not None
    assert (outcome.state, outcome.exit_code) == ("NODE_FAIL", None)


def test_a_reason_is_short_and_steers_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "exit.json").write_bytes(msgspec.json.encode({**SOUND, "reason": "\x1b[31m" + "x" * 10**6}))
    outcome = read_exit(tmp_path, 5.0)
    assert outcome is not None
    assert outcome.reason.startswith("\\x1b[31mx")
    assert len(outcome.reason) < 2000


def test_no_outcome_counts_while_the_shim_lives(tmp_path: Path) -> None:
    (tmp_path / "exit.json").write_bytes(msgspec.json.encode(SOUND))
    with exclusive(tmp_path / "lock") as mine:
        assert mine is not None
        assert observe_attempt(tmp_path, launching=False) == "running"
    assert observe_attempt(tmp_path, launching=False) == "ended"


def test_a_lock_that_is_a_folder_is_held_by_nobody(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    (tmp_path / "shim.json").touch()
    assert observe_attempt(tmp_path, launching=False) == "lost"


@pytest.mark.parametrize("place", [Path.mkdir, Path.touch, lambda path: path.symlink_to("elsewhere")])
def test_only_a_bell_rings_and_the_agent_hangs_it_up_again(tmp_path: Path, place: Place) -> None:
    path = tmp_path / "bell"
    (tmp_path / "elsewhere").write_text("precious")
    bell = Bell(path)
    assert ring(path)
    assert bell.wait(0) == {"look"}
    path.unlink()
    place(path)
    assert not ring(path)
    ring_from_shim(str(path))
    assert bell.wait(0) == set()
    assert ring(path, "quit")
    assert bell.wait(0) == {"quit"}
    assert (tmp_path / "elsewhere").read_text() == "precious"
    bell.close()


def test_a_folder_open_to_others_is_shut(tmp_path: Path) -> None:
    for name in ("private", "jobs"):
        (tmp_path / name).mkdir(mode=0o755)
    Layout(tmp_path).prepare()
    assert [path.stat().st_mode & 0o777 for path in sorted(tmp_path.iterdir())] == [0o700, 0o700]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    os.chown(tmp_path / "private", 54321, -1)
    with pytest.raises(PermissionError, match="uid 54321"):
        Layout(tmp_path).prepare()


def test_a_replaced_queue_is_noticed(tmp_path: Path) -> None:
    queue = JobQueue(Layout(tmp_path).prepare())
    assert queue.database.is_in_place()
    queue.layout.database.rename(tmp_path / "aside")
    assert not queue.database.is_in_place()
    queue.layout.database.touch()
    assert not queue.database.is_in_place()
    queue.close()


def test_a_damaged_row_is_told(tmp_path: Path) -> None:
    queue = JobQueue(Layout(tmp_path).prepare())
    queue.add(Job(name="a", command=("true",)), {}, 1.0)
    with queue.database.transaction() as connection:
        connection.execute("UPDATE submissions SET job = '{'")
    with pytest.raises(EngineError, match="damaged row of job 1"):
        queue.all()
    (sound,) = queue.add(Job(name="b", command=("true",)), Shell(environment={}), 2.0)
    told: list[EngineError] = []
    agents = JobQueue(queue.layout, on_damage=told.append)
    assert [record.job_id for record in agents.all()] == [sound]
    assert len(told) == 1
    agents.close()
    queue.close()


@pytest.mark.parametrize("reference", ["9" * 26, "٣", "²", "9" * 5000])
def test_a_number_too_large_names_no_job(tmp_path: Path, reference: str) -> None:
    queue = JobQueue(Layout(tmp_path).prepare())
    for _ in range(3):
        queue.add(Job(name="a", command=("true",)), {}, 1.0)
    assert queue.find(reference) == []
    queue.close()


def test_queues_in_no_regular_file_are_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "queues.yaml")
    with pytest.raises(EngineError, match="no regular file"):
        load_queues(tmp_path / "queues.yaml")


def test_an_index_too_large_is_refused() -> None:
    for text in ("9" * 26, "0-1:" + "9" * 5000):
        with pytest.raises(UsageError, match="at most 9 digits"):
            expand_indices(text)


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ('"command":["a","b\\u0000"]', "1:41"),
        ('"command":["a"],"environment":{"A":"\\u0000"}', "1:"),
        ('"command":["a"],"directory":"a\\u0000b"', "1:"),
    ],
)
def test_a_nul_is_refused_where_it_stands(field: str, path: str) -> None:
    with pytest.raises(DocumentError, match=rf"x:{path}.*U\+0000"):
        parse_document(f'{{"kind":"job","name":"a",{field}}}', source="x", expect=Job)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be nobody known")
def test_a_user_nobody_knows_has_a_number() -> None:
    program = (
        "import os; from l2_scheduler.local.engine import user_name; os.setuid(54321); print(user_name())"
    )
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert done.stdout == b"uid 54321\n"
