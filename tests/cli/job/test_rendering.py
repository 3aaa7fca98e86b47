"""How jobs look: folded, fitted to any width, in words that explain."""

import shlex
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from l1_podsys.schemas import AcceleratorState, ClusterState, NodeState
from l2_scheduler import Blocker, Piece, Usage
from l2_scheduler.local.arrays import expand_indices
from l2_scheduler.schemas import Dependency, Job, JobState, JobStatus, Limits, NodeShare, Resources
from ogai.flows.job.events import parse_events
from ogai.flows.job.fate import describe_end, signal_name
from ogai.flows.job.logs import last_lines
from ogai.flows.job.request import default_name
from ogai.flows.job.view import chosen, completions, open_ids
from ogai.flows.job.watch import Running, Scene, Waiting
from ogai.render.job.detail import describe_job, describe_timeline, next_commands
from ogai.render.job.fold import ranges
from ogai.render.job.output import Lines
from ogai.render.job.table import lay_out, rows_of
from ogai.render.job.top import frame
from ogai.render.moment import brief, stopwatch

NOW = 1_800_000_000.0


def status(
    job_id: str, state: JobState = "PENDING", *, job: Job | None = None, **fields: object
) -> JobStatus:
    index = job_id.partition("_")[2]
    job = job or Job(name="train", command=("true",))
    return JobStatus(
        job_id=job_id,
        job=job,
        state=state,
        array_index=int(index) if index else None,
        submitted_at=NOW - 90,
        **fields,  # type: ignore[arg-type]
    )


def lines_of(*statuses: JobStatus, width: int | None = None, expand: bool = False) -> list[str]:
    return lay_out(list(rows_of(statuses, open_ids(statuses), NOW, expand=expand)), width)


@pytest.fixture(autouse=True)
def no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


@given(st.sets(st.integers(0, 300), min_size=1))
def test_folded_indices_read_back_as_the_same(indices: set[int]) -> None:
    assert expand_indices(ranges(indices)) == tuple(sorted(indices))


@pytest.mark.parametrize(
    ("indices", "text"),
    [
        ((3,), "3"),
        (range(100), "0-99"),
        ((0, 1, 2, 7), "0-2,7"),
        (range(0, 31, 10), "0-30:10"),
        ((1, 9), "1,9"),
    ],
)
def test_indices_are_folded_as_a_person_would_write_them(indices: tuple[int, ...], text: str) -> None:
    assert ranges(indices) == text


def test_an_array_is_one_line_with_its_counts() -> None:
    states: list[JobState] = ["COMPLETED"] * 4 + ["RUNNING"] * 2 + ["FAILED"] + ["PENDING"] * 3
    elements = [status(f"12_{index}", state) for index, state in enumerate(states)]
    (_, line) = lines_of(*elements)
    assert line.startswith("12_[0-9]  train  RUNNING")
    assert line.endswith("4 done, 2 running, 3 waiting, 1 failed")
    assert len(lines_of(*elements, expand=True)) == 11


@pytest.mark.parametrize("width", [48, 60, 80, 140])
def test_every_line_fits_the_terminal(width: int) -> None:
    resources = Resources(cpus_per_task=128, memory_bytes_per_node=900 * 2**30, gpus_per_node=8)
    long = Job(name="x" * 64, command=("true",), resources=resources)
    statuses = (
        status(
            "123456",
            "OUT_OF_MEMORY",
            job=long,
            elapsed_s=3e6,
            reason="der Speicher war für 训练 zu klein " * 9,
        ),
        *(status(f"7_{index}", "RUNNING", started_at=NOW - 5) for index in (0, 1, 3, 7, 20, 21, 40)),
        status("8", held=True, reason="held by Ægir 🙂"),
    )
    lines = lines_of(*statuses, width=width)
    assert all(cell_len(line) <= width for line in lines)
    assert lines[0].startswith("ID") and "STATE" in lines[0]
    assert len({line.index("OUT_OF") for line in lines if "OUT_OF" in line} | {lines[0].index("STATE")}) == 1


def test_a_pipe_gets_whole_lines() -> None:
    reason = "a reason that is long " * 20
    assert reason.strip() in lines_of(status("1", "NODE_FAIL", reason=reason))[1]


def test_columns_nobody_uses_are_left_out() -> None:
    assert lines_of(status("1"))[0].split() == ["ID", "NAME", "STATE", "TIME", "CPUS", "NOTE"]


@pytest.mark.parametrize(
    ("shown", "note"),
    [
        (
            status("1", "COMPLETED", ended_at=NOW, reason="9 bytes of output were lost"),
            "9 bytes of output were lost",
        ),
        (status("1", held=True, reason="held by eve"), "held by eve"),
        (status("1", not_before=NOW + 12, reason="retry 1 of 3 after: x"), "in 12s: retry 1 of 3 after: x"),
        (status("1", "FAILED", exit_code=3), "exit code 3"),
        (status("1", "FAILED", signal=11), "signal 11 (SIGSEGV)"),
        (status("1", "COMPLETED", ended_at=NOW - 300), "5m ago"),
        (status("1", "RUNNING", attempt=2), "attempt 2"),
        (status("1"), "waits its turn"),
    ],
)
def test_the_note_says_what_is_most_worth_knowing(shown: JobStatus, note: str) -> None:
    assert lines_of(shown)[1].endswith(f"  {note}")


def test_a_dependency_is_named_while_it_is_open() -> None:
    after = Job(name="after", command=("true",), depends_on=(Dependency(job="1"),))
    assert lines_of(status("1"), status("2", job=after))[2].endswith("after 1")
    assert lines_of(status("1", "COMPLETED"), status("2", job=after))[2].endswith("waits its turn")


def test_the_list_hides_what_ended_over_an_hour_ago() -> None:
    old, new = status("1", "FAILED", ended_at=NOW - 4000), status("2", "FAILED", ended_at=NOW - 60)
    waiting = status("3")
    assert chosen((old, new, waiting), NOW, everything=False) == (new, waiting)
    assert chosen((old, new, waiting), NOW, everything=True) == (old, new, waiting)
    assert chosen((old, new, waiting), NOW, everything=True, states=frozenset({"FAILED"})) == (old, new)


def test_show_explains_state_limits_and_next_steps() -> None:
    limits = Limits(time_s=7200, warn_signal="USR1", warn_before_s=60, grace_s=30)
    job = Job(name="train", command=("python", "my train.py"), limits=limits, environment={"TOKEN": "abc"})
    failed = status("12", "FAILED", job=job, reason="task 0 was ended by signal 9", signal=9, attempt=1)
    fields = dict(describe_job(failed, frozenset(), NOW))
    assert fields["Job 12"] == "train"
    assert fields["state"] == "FAILED: task 0 was ended by signal 9"
    assert fields["exit"] == "signal 9 (SIGKILL)"
    assert shlex.split(fields["command"]) == ["python", "my train.py"]
    assert fields["limits"] == "2h, USR1 1m before, grace 30s"
    assert "abc" not in str(fields)
    assert next_commands(failed) == ("ogai job logs 12", "ogai job requeue 12")
    assert next_commands(status("13")) == ("ogai job why 13", "ogai job cancel 13")


def test_events_that_a_job_wrote_wrongly_are_passed_over() -> None:
    text = b'{"at": 5, "event": "started", "attempt": 1, "tasks": 2}\nno json\n[1]\n{"at": "x"}\n\xff\n{"event": "cut'
    (event,) = parse_events(text)
    assert (event.at, event.event, event.details) == (5, "started", {"tasks": "2"})
    (heading, line) = describe_timeline([event], NOW)
    assert heading == ("Timeline", "")
    assert line[1] == "started tasks=2"


@given(st.lists(st.binary(max_size=8)), st.integers(1, 5), st.data())
def test_the_tail_is_the_last_lines(parts: list[bytes], count: int, data: st.DataObject) -> None:
    text = b"\n".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    bounds = [0, *cuts, len(text)]
    pieces = [
        Piece(offset=start, data=text[start:end], at=None) for start, end in pairwise(bounds) if end > start
    ]
    kept = last_lines(pieces, count)
    assert b"".join(piece.data for piece in kept) == b"".join(lines_with_ends(text)[-count:])
    assert all(text[piece.offset : piece.end] == piece.data for piece in kept)


def lines_with_ends(text: bytes) -> list[bytes]:
    return [line + b"\n" for line in text.split(b"\n")[:-1]] + (
        [last] if (last := text.rpartition(b"\n")[2]) else []
    )


def test_lines_of_several_tasks_are_never_mixed() -> None:
    lines = Lines()
    assert lines.take(0, b"one\ntw") == b"[0] one\n"
    assert lines.take(1, b"x\n") == b"[1] x\n"
    assert lines.take(0, b"o\n\nrest") == b"[0] two\n[0] \n"
    assert lines.finish() == b"[0] rest\n"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("python", "train.py"), "train"),
        (("python3", "-u", "src/my train.py", "--lr", "1"), "my-train"),
        (("python", "-m", "torch.distributed.run", "x"), "torch.distributed.run"),
        (("/usr/bin/sleep", "5"), "sleep"),
        (("./.hidden",), "hidden"),
        (("ü",), "job"),
    ],
)
def test_a_job_without_a_name_is_called_after_its_program(command: tuple[str, ...], name: str) -> None:
    assert default_name(command) == name


@pytest.mark.parametrize(
    ("seconds", "short", "watch"),
    [
        (0.04, "0s", "0:00"),
        (0.44, "0.4s", "0:00"),
        (9.96, "10s", "0:09"),
        (61, "1m1s", "1:01"),
        (7384, "2h3m", "2:03:04"),
        (180000, "2d2h", "2-02:00:00"),
    ],
)
def test_durations_are_short(seconds: float, short: str, watch: str) -> None:
    assert (brief(seconds), stopwatch(seconds)) == (short, watch)


def test_ends_are_told_with_their_signal() -> None:
    assert signal_name(9) == "signal 9 (SIGKILL)"
    assert signal_name(63) == "signal 63"
    assert describe_end(status("1", "TIMEOUT", reason="ran for 2h")) == "TIMEOUT (ran for 2h)"


def scene() -> Scene:
    gpus = tuple(
        AcceleratorState(id=f"nvidia:{i}", model="NVIDIA H200", busy="pid 99" if i == 1 else None)
        for i in range(3)
    )
    node = NodeState(name="n1", cpus=16, memory_bytes=64 * 2**30, accelerators=gpus)
    share = NodeShare(node="n1", cpus=8, memory_bytes=16 * 2**30, accelerators=("nvidia:0",))
    job = Job(name="n" * 64, command=("python", "train.py", "--" + "x" * 200), limits=Limits(time_s=3600))
    running = status("12", "RUNNING", job=job, started_at=NOW - 3500, allocation=(share,))
    blocker = Blocker(
        code="resources", where="nodes", found="none", expected="1 node with 12 CPUs and 8 accelerators"
    )
    waiting = tuple(Waiting(status=status(f"13_{i}"), blocker=blocker) for i in range(500))
    return Scene(
        now=NOW,
        cluster=ClusterState(name="here", nodes=(node,)),
        load=7.5,
        memory_used_bytes=20 * 2**30,
        running=(
            Running(status=running, usage=Usage(processes=2, cpu_s=9, memory_bytes=2**31), cpu_share=1.5),
        ),
        waiting=(*waiting, *(Waiting(status=status(str(20 + i)), blocker=None) for i in range(60))),
    )


@pytest.mark.parametrize(("width", "height"), [(60, 16), (80, 24), (140, 40)])
def test_the_live_view_fits_the_screen(width: int, height: int) -> None:
    console = Console(width=width, height=height, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(frame(scene(), width=width, height=height))
    text = capture.get()
    lines = text.splitlines()
    assert len(lines) <= height
    assert all(cell_len(line) <= width for line in lines)
    assert "8/16 in slots" in text
    assert "nvidia:0" in text and "pid 99" in text and "free" in text
    assert "13_[0-499]" in text
    assert "150" in text
    assert "more waiting" in text


def test_an_array_is_completed_as_one_until_its_underscore() -> None:
    jobs = [status("1", "COMPLETED"), status("12_0", "COMPLETED"), status("12_1"), status("13")]
    assert list(completions(jobs, "1", open_only=False)) == ["13", "12", "1"]
    assert completions(jobs, "12", open_only=True) == {"12": "train array"}
    assert list(completions(jobs, "12_", open_only=False)) == ["12_1", "12_0"]
    assert list(completions(jobs, "", open_only=True)) == ["13", "12"]
