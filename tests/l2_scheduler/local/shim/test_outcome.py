"""However a task ends, there is one outcome that says how."""

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from l2_scheduler.local.shim import shim_command


def test_completion(attempt):
    outcome = attempt("sh", "-c", "echo out; echo err >&2").run()
    assert outcome["state"] == "COMPLETED"
    assert outcome["tasks"] == [{"rank": 0, "exit_code": 0, "signal": None}]
    assert (outcome["exit_code"], outcome["signal"], outcome["lost_log_bytes"]) == (0, None, 0)
    assert 0 < outcome["elapsed_s"] <= outcome["ended_at"] - outcome["started_at"] + 0.1
    assert outcome["peak_memory_bytes"] > 0


def test_output_of_both_kinds_is_kept_in_order(attempt):
    job = attempt("sh", "-c", "echo out; echo err >&2; printf end")
    job.run()
    assert job.log() == "out\nerr\nend"


def test_exit_code(attempt):
    outcome = attempt("sh", "-c", "exit 41").run()
    assert (outcome["state"], outcome["exit_code"]) == ("FAILED", 41)
    assert outcome["reason"] == "task 0 ended with exit code 41"


def test_signal(attempt):
    outcome = attempt("sh", "-c", "kill -SEGV $$").run()
    assert (outcome["state"], outcome["exit_code"], outcome["signal"]) == ("FAILED", None, 11)
    assert outcome["reason"] == "task 0 was ended by signal 11 (SIGSEGV)"


@pytest.mark.parametrize(
    ("command", "code", "reason"),
    [
        (
            "no-such-program-here",
            127,
            "the program no-such-program-here cannot be run: No such file or directory",
        ),
        ("/nowhere/at/all", 127, "the program /nowhere/at/all cannot be run: No such file or directory"),
        ("/etc/passwd", 126, "the program /etc/passwd cannot be run: Permission denied"),
    ],
)
def test_program_that_cannot_run(attempt, command, code, reason):
    outcome = attempt(command, tasks=2).run()
    assert (outcome["state"], outcome["exit_code"], outcome["reason"]) == ("FAILED", code, reason)


def test_missing_directory(attempt):
    outcome = attempt("true", directory="/nowhere/at/all").run()
    assert (outcome["state"], outcome["exit_code"]) == ("FAILED", 126)
    expected = "the working directory /nowhere/at/all cannot be entered: No such file or directory"
    assert outcome["reason"] == expected


@pytest.mark.parametrize("content", [None, "{", "{}"])
def test_unreadable_environment(attempt, content):
    job = attempt("true")
    job.environment_file.unlink() if content is None else job.environment_file.write_text(content)
    outcome = job.run()
    assert (outcome["state"], outcome["exit_code"], outcome["tasks"]) == ("FAILED", None, [])
    assert str(outcome["reason"]).startswith("the job could not be started: ")


def test_environment_of_a_task(attempt):
    job = attempt("env", tasks=2, environment={"OGAI_ARRAY_INDEX": "3", "API_KEY": "computed"})
    job.run()
    seen = dict(line.split("=", 1) for line in job.log(1).splitlines())
    home = job.directory.parent
    assert (
        seen.items()
        >= {
            "OGAI_JOB_ID": "12_3",
            "OGAI_ATTEMPT": "1",
            "OGAI_RANK": "1",
            "OGAI_LOCAL_RANK": "1",
            "OGAI_WORLD_SIZE": "2",
            "OGAI_EVENTS": str(home / "events.jsonl"),
            "OGAI_JOB_DIR": str(home),
            "OGAI_TOKEN": job.token,
            "OGAI_ARRAY_INDEX": "3",
            "PYTHONUNBUFFERED": "1",
            "API_KEY": "computed",
            "PWD": str(job.launch["directory"]),
        }.items()
    )


def test_secrets_reach_the_task_but_no_file_and_no_argv(attempt):
    job = attempt("sh", "-c", "cat /proc/$PPID/cmdline /proc/$PPID/environ; echo $API_KEY | md5sum")
    assert job.run()["state"] == "COMPLETED"
    assert str(job.directory) in job.log()
    assert hashlib.md5(b"hush-hush\n").hexdigest() in job.log()
    for path in job.directory.iterdir():
        assert path.is_fifo() or b"hush-hush" not in path.read_bytes()


def test_a_task_starts_clean(attempt):
    script = (
        "import os, signal\n"
        "ignored = [s for s in signal.valid_signals() - {13, 25} if signal.getsignal(s) == signal.SIG_IGN]\n"
        "print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1], ignored, signal.pthread_sigmask(0, []),"
        "os.getsid(0) == os.getpid(), os.ttyname(0) if os.isatty(0) else os.readlink('/proc/self/fd/0'))"
    )
    job = attempt(sys.executable, "-S", "-c", script)
    job.start(through='exec 7</dev/null; exec "$@"')  # what an agent had open by mistake goes no further
    job.outcome()
    assert job.log() == "[0, 1, 2] [] set() True /dev/null\n"


def test_task_is_sacrificed_before_its_shim(attempt):
    job = attempt("sh", "-c", "cat /proc/self/oom_score_adj /proc/$PPID/oom_score_adj")
    job.run()
    task, shim = map(int, job.log().split())
    assert task == min(1000, shim + 200)


def test_many_tasks_need_no_more_files_than_the_shim_may_open(attempt):
    job = attempt("sh", "-c", "ulimit -Sn", tasks=30)
    job.start(through='ulimit -Sn 40; exec "$@"')
    assert job.outcome()["state"] == "COMPLETED"
    assert job.log(29) == "40\n"


def test_events_and_bell(attempt):
    job = attempt("false")
    bell = Path(str(job.launch["bell"]))
    os.mkfifo(bell)
    ear = os.open(bell, os.O_RDONLY | os.O_NONBLOCK)
    try:
        job.run()
        assert len(os.read(ear, 100)) == 2
    finally:
        os.close(ear)
    assert [event["event"] for event in job.events()] == ["started", "ended"]
    assert job.events()[1] | {"at": 0} == {
        "at": 0,
        "event": "ended",
        "attempt": 1,
        "state": "FAILED",
        "reason": "task 0 ended with exit code 1",
    }


def test_identity_is_written_before_the_task_starts(attempt):
    job = attempt(
        "sh", "-c", "cat $OGAI_JOB_DIR/$OGAI_ATTEMPT/shim.json; echo; cut -d' ' -f1,22 /proc/$PPID/stat"
    )
    job.run()
    identity, stat = job.log().splitlines()
    assert [json.loads(identity)[key] for key in ("pid", "start_ticks")] == [
        int(part) for part in stat.split()
    ]


def test_command_names_the_attempt(tmp_path):
    command = shim_command(tmp_path / "12_3" / "1", 7)
    assert command[1:3] == ("-I", "-S")
    assert command[-2:] == (f"{tmp_path}/12_3/1", "7")
