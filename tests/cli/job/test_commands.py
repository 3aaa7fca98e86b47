"""The commands of `ogai job` and `ogai agent`, each on real jobs."""

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from ogai.flows.engine import open_engine
from tests.cli.job.conftest import Ogai
from tests.support.world import eventually

pytestmark = pytest.mark.real


def until(ogai: Ogai, job_id: str, state: str) -> None:
    deadline = time.monotonic() + 20
    while json.loads(ogai("job", "show", job_id, "-o", "json").out)[0]["state"] != state:
        assert time.monotonic() < deadline, f"job {job_id} never got {state}"
        time.sleep(0.02)


def test_submit_prints_the_id_and_says_what_to_type_next(ogai: Ogai) -> None:
    said = ogai("job", "submit", "--hold", "--", "true")
    assert (said.code, said.out) == (0, "1\n")
    assert "ogai job release 1" in said.err
    said = ogai("job", "submit", "--array", "0-4", "--hold", "--", "true")
    assert said.out == "2\n"
    assert "array 2 (true) of 5 jobs" in said.err


def test_wait_has_the_fate_of_the_jobs(ogai: Ogai) -> None:
    assert ogai("job", "submit", "--wait", "--", "true").code == 0
    said = ogai("job", "submit", "--wait", "--", "sh", "-c", "exit 3")
    assert said.code == 6
    assert "job 2: found FAILED (task 0 ended with exit code 3)" in said.err
    said = ogai("job", "wait", "1", "2")
    assert said.code == 6
    assert "1 of 2 jobs: found 2 FAILED" in said.err
    assert ogai("job", "wait", "1").code == 0


def test_wait_gives_up_after_its_time(ogai: Ogai) -> None:
    ogai("job", "submit", "--hold", "--", "true")
    said = ogai("job", "wait", "1", "--timeout", "0.1s")
    assert said.code == 5
    assert "still open" in said.err


def test_flags_win_over_the_document(ogai: Ogai) -> None:
    Path("job.yaml").write_text(
        "kind: job\nname: train\ncommand: ['true']\nresources: {cpus_per_task: 2}\nenvironment: {A: x}\n"
    )
    flags = ("--cpus", "1", "--time", "2h", "--env", "B=[1]", "--warn", "USR1@90", "--set", "retry.limit=4")
    said = ogai("job", "submit", "job.yaml", *flags, "--dry-run", "-o", "json")
    job = json.loads(said.out)
    assert job["resources"]["cpus_per_task"] == 1
    assert job["limits"]["time_s"] == 7200
    assert (job["limits"]["warn_signal"], job["limits"]["warn_before_s"]) == ("USR1", 90)
    assert job["environment"] == {"A": "x", "B": "[1]"}
    assert job["retry"]["limit"] == 4
    assert "it would start at once on" in said.err
    assert ogai("job", "list", "--all", "-o", "json").out == "[]\n"


def test_dry_run_prints_a_document_that_can_be_submitted(ogai: Ogai) -> None:
    Path("again.yaml").write_text(ogai("job", "submit", "--dry-run", "--", "echo", "ü ☃", "no").out)
    said = ogai("job", "submit", "-f", "again.yaml")
    assert said.code == 0
    assert said.out == "1\nü ☃ no\n"


def test_logs_are_the_bytes_that_were_written(ogai: Ogai, environment: dict[str, str]) -> None:
    ogai(
        "job", "submit", "--wait", "--", sys.executable, "-c", "import os; os.write(1, bytes(range(256)) * 9)"
    )
    command = [sys.executable, "-m", "ogai", "job", "logs", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert done.stdout == bytes(range(256)) * 9


def test_logs_head_the_lines_of_several_tasks(ogai: Ogai) -> None:
    script = "echo rank $OGAI_RANK; echo two; printf end"
    ogai("job", "submit", "--tasks", "2", "--wait", "--", "sh", "-c", script)
    said = ogai("job", "logs", "1")
    assert sorted(said.out.splitlines()) == sorted(
        f"[{rank}] {line}" for rank in (0, 1) for line in (f"rank {rank}", "two", "end")
    )
    assert ogai("job", "logs", "1", "--task", "1", "--tail", "2").out == "two\nend"
    assert ogai("job", "logs", "1", "--task", "2").code == 2
    stamped = ogai("job", "logs", "1", "--task", "0", "--timestamps").out.splitlines()
    assert [line.split(" ", 1)[1] for line in stamped] == ["rank 0", "two", "end"]
    assert all(line[10] == "T" for line in stamped)


def test_following_goes_on_over_the_wait_and_over_retries(ogai: Ogai) -> None:
    ogai("job", "submit", "--name", "first", "--", "sleep", "0.5")
    flags = ("--retry", "1", "--backoff", "0.2s", "--after", "1")
    script = "echo attempt $OGAI_ATTEMPT; sleep 0.2; echo done; [ $OGAI_ATTEMPT = 2 ]"
    said = ogai("job", "submit", *flags, "-f", "--", "sh", "-c", script)
    assert said.code == 0
    assert said.out == "2\nattempt 1\ndone\nattempt 2\ndone\n"
    assert "-- attempt 2 --" in said.err
    assert "COMPLETED" in said.err
    assert ogai("job", "logs", "2", "--attempt", "1").out == "attempt 1\ndone\n"
    assert ogai("job", "logs", "2", "--attempt", "3").code == 2


def test_leaving_a_follow_leaves_the_job_running(ogai: Ogai, environment: dict[str, str]) -> None:
    ogai("job", "submit", "--", "sh", "-c", "echo here; sleep 60")
    command = [sys.executable, "-m", "ogai", "job", "logs", "-f", "1"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as follower:
        assert follower.stdout is not None and follower.stderr is not None
        assert follower.stdout.readline() == b"here\n"
        follower.send_signal(signal.SIGINT)
        said = follower.stderr.read().decode()
        assert follower.wait() == 130
    assert "come back: ogai job logs -f 1" in said
    until(ogai, "1", "RUNNING")


def test_logs_follow_says_how_it_ended_but_does_not_judge(ogai: Ogai) -> None:
    ogai("job", "submit", "--", "sh", "-c", "sleep 0.2; echo out; exit 4")
    said = ogai("job", "logs", "-f", "1")
    assert (said.code, said.out) == (0, "out\n")
    assert "job 1 (sh) FAILED after" in said.err and "exit code 4" in said.err


def test_a_reader_that_leaves_is_no_error(ogai: Ogai, environment: dict[str, str]) -> None:
    ogai("job", "submit", "--wait", "--", "seq", "200000")
    line = f"{sys.executable} -m ogai job logs 1 | head -n 1"
    done = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_an_array_has_no_single_log(ogai: Ogai) -> None:
    ogai("job", "submit", "--array", "3,5", "--hold", "--", "true")
    said = ogai("job", "logs", "1")
    assert said.code == 2
    assert "ogai job logs 1_3" in said.err
    assert "has not started" in ogai("job", "logs", "1_5").err


def test_list_folds_arrays_and_hides_what_is_long_past(ogai: Ogai) -> None:
    ogai("job", "submit", "--array", "0-3", "--wait", "--", "true")
    ogai("job", "submit", "--hold", "--", "true")
    lines = ogai("job", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == ["ID", "1_[0-3]", "2"]
    assert lines[1].endswith("4 done")
    assert len(ogai("job", "list", "--expand").out.splitlines()) == 6
    assert ogai("job", "list", "--state", "pending").out.splitlines()[1].split()[0] == "2"
    documents = json.loads(ogai("job", "list", "-o", "json").out)
    assert [document["kind"] for document in documents] == ["job_status"] * 5


def test_show_tells_all_but_the_values_of_variables(ogai: Ogai, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "hunter2")
    flags = ("--secret", "MY_TOKEN", "--env", "MODE=xyzzy")
    ogai("job", "submit", *flags, "--wait", "--", "sh", "-c", "kill -9 $$")
    shown = ogai("job", "show", "1").out
    assert "signal 9 (SIGKILL)" in shown
    assert "MY_TOKEN (secret)" in shown and "MODE" in shown
    assert "hunter2" not in shown and "xyzzy" not in shown
    assert "started" in shown and "ogai job requeue 1" in shown
    assert str(Path(os.environ["OGAI_HOME"]) / "scheduler/jobs/1/1/task-0.log") in shown


def test_cancel_says_what_became_of_each(ogai: Ogai) -> None:
    ogai("job", "submit", "--wait", "--", "true")
    ogai("job", "submit", "--hold", "--", "true")
    ogai("job", "submit", "--", "sleep", "60")
    until(ogai, "3", "RUNNING")
    said = ogai("job", "cancel", "1", "2", "3")
    assert said.code == 0
    assert said.err.splitlines() == [
        "job 1 (true) had ended already: COMPLETED",
        "job 2 (true) was waiting and will not start",
        "job 3 (sleep) is being ended (SIGTERM, then SIGKILL after 30s)",
    ]
    assert ogai("job", "wait", "3").code == 6


def test_hold_release_and_requeue_say_what_changed(ogai: Ogai) -> None:
    ogai("job", "submit", "--hold", "--", "true")
    assert "is held" in ogai("job", "hold", "1").err
    assert "may start" in ogai("job", "release", "1").err
    assert ogai("job", "wait", "1").code == 0
    refused = ogai("job", "hold", "1")
    assert refused.code == 2
    assert "found job 1 COMPLETED; expected a waiting job" in refused.err
    assert "runs again" in ogai("job", "requeue", "1").err
    assert ogai("job", "wait", "1").code == 0
    assert json.loads(ogai("job", "show", "1", "-o", "json").out)[0]["attempt"] == 2


def test_why_names_the_blocker_and_a_command_that_helps(ogai: Ogai) -> None:
    ogai("job", "submit", "--hold", "--", "true")
    said = ogai("job", "why", "1").out
    assert "held back" in said
    assert "      ogai job release 1" in said.splitlines()
    ogai("job", "cancel", "1")
    assert "it ended" in ogai("job", "why", "1").out


def test_priority_of_a_waiting_job(ogai: Ogai) -> None:
    ogai("job", "submit", "--hold", "--", "true")
    assert "has priority 7" in ogai("job", "priority", "1", "7").err
    assert json.loads(ogai("job", "show", "1", "-o", "json").out)[0]["priority"] == 7


def test_throttle_of_an_array_that_waits(ogai: Ogai) -> None:
    ogai("job", "submit", "--array", "0-3%1", "--", "sh", "-c", "[ $OGAI_ARRAY_INDEX != 0 ] || sleep 60")
    until(ogai, "1_0", "RUNNING")
    assert "ogai job throttle 1 2" in ogai("job", "why", "1").out
    assert "at most 2 elements" in ogai("job", "throttle", "1", "2").err
    assert ogai("job", "wait", "1_1", "1_2", "1_3").code == 0
    assert ogai("job", "throttle", "1_2", "3").code == 2


def test_prune_shows_asks_and_forgets(ogai: Ogai) -> None:
    ogai("job", "submit", "--wait", "--", "true")
    assert "nothing to forget" in ogai("job", "prune").err
    plan = ogai("job", "prune", "--older-than", "0", "--dry-run").err
    assert "forget 1 job with its logs" in plan and "1 COMPLETED" in plan
    unasked = ogai("job", "prune", "--older-than", "0")
    assert unasked.code == 2 and "--yes" in unasked.err
    assert ogai("job", "prune", "--older-than", "0", "--yes").code == 0
    assert ogai("job", "list", "--all", "-o", "json").out == "[]\n"


def test_top_draws_the_machine_and_its_jobs(ogai: Ogai) -> None:
    ogai("job", "submit", "--name", "busy", "--time", "1h", "--", "sleep", "60")
    ogai("job", "submit", "--array", "0-2", "--after", "1", "--", "true")
    until(ogai, "1", "RUNNING")
    shown = ogai("job", "top", "--once").out
    assert "1 running, 3 waiting" in shown
    assert "busy" in shown and "1:00:00" in shown
    assert "2_[0-2]" in shown and "after job 1" in shown


def test_top_is_left_with_a_key(ogai: Ogai, environment: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(theirs)
    command = [sys.executable, "-m", "ogai", "job", "top"]
    with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as top:
        seen = b""
        while b"nothing runs" not in seen:
            seen += os.read(ours, 65536)
        os.write(ours, b"q")
        assert top.wait(20) == 0
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


def test_the_shell_completes_ids(ogai: Ogai, monkeypatch: pytest.MonkeyPatch) -> None:
    ogai("job", "submit", "--hold", "--array", "0-1", "--", "true")
    monkeypatch.setenv("_OGAI_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "ogai job logs ")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert ogai().out.split() == ["plain,1"]


def test_an_unknown_id_is_answered_with_the_nearest(ogai: Ogai) -> None:
    ogai("job", "submit", "--hold", "--name", "train", "--array", "0-2", "--", "true")
    assert "array 1 goes from 1_0 to 1_2" in ogai("job", "show", "1_9").err
    assert "the newest job named train" in ogai("job", "cancel", "train").err
    said = ogai("job", "logs", "7")
    assert said.code == 2 and "ogai job list --all" in said.err


def test_the_agents_trouble_is_shown(ogai: Ogai) -> None:
    ogai("job", "submit", "--hold", "--", "true")
    assert "queues.yaml" not in ogai("agent", "status").out
    queues = Path(os.environ["OGAI_HOME"]) / "scheduler" / "queues.yaml"
    queues.write_text("kind: queues\nqueues: [{name: a b}]\n")
    ogai("job", "priority", "1", "5")
    eventually(lambda: "queues.yaml:2:17: found `a b`" in ogai("agent", "status").out)
    queues.unlink()


def test_the_agent_comes_with_work_and_leaves_when_told(ogai: Ogai) -> None:
    assert "not running" in ogai("agent", "status").out
    assert ogai("agent", "stop").code == 0
    ogai("job", "submit", "--hold", "--", "true")
    report = json.loads(ogai("agent", "status", "-o", "json").out)
    deadline = time.monotonic() + 20
    while not report["alive"] and time.monotonic() < deadline:
        time.sleep(0.05)
        report = json.loads(ogai("agent", "status", "-o", "json").out)
    assert report["alive"] and report["open_jobs"] == 1
    assert "1 wait" in ogai("agent", "stop").err
    assert "not running" in ogai("agent", "status").out


def test_the_python_api_is_the_same(ogai: Ogai) -> None:
    import ogai as api

    (status,) = api.job.submit(api.job.read_job(None, ("echo", "hi")))
    assert api.job.wait([status.job_id])[0].state == "COMPLETED"
    assert ogai("job", "logs", status.job_id).out == "hi\n"


def test_usage_counts_all_processes_of_a_job(ogai: Ogai) -> None:
    burn = "i = 0\nwhile True: i += 1"
    ogai("job", "submit", "--", "sh", "-c", f"{sys.executable} -c '{burn}' & wait")
    until(ogai, "1", "RUNNING")
    with open_engine() as engine:
        deadline = time.monotonic() + 20
        while (usage := engine.usage()["1"]).cpu_s < 0.2 and time.monotonic() < deadline:
            time.sleep(0.05)
    assert usage.processes == 2
    assert usage.cpu_s >= 0.2
    assert usage.memory_bytes > 2**20


def test_who_stays_with_a_job_is_not_told_how_to_come_back(ogai: Ogai) -> None:
    assert "next: ogai job logs -f 1" in ogai("job", "submit", "--", "true").err
    assert "next:" not in ogai("job", "submit", "--wait", "--", "true").err


def test_logs_say_that_there_were_earlier_attempts(ogai: Ogai) -> None:
    ogai(
        "job",
        "submit",
        "--retry",
        "1",
        "--backoff",
        "0",
        "--wait",
        "--",
        "sh",
        "-c",
        "echo $OGAI_ATTEMPT; exit 1",
    )
    said = ogai("job", "logs", "1")
    assert said.out == "2\n"
    assert "that was attempt 2; the first: ogai job logs --attempt 1 1" in said.err
    assert ogai("job", "logs", "--attempt", "1", "1").out == "1\n"


def test_elements_may_be_named_as_the_tables_name_them(ogai: Ogai) -> None:
    ogai("job", "submit", "--hold", "--array", "0-9", "--", "true")
    assert "job 1_[1-3,7] (true) was waiting and will not start" in ogai("job", "cancel", "1_[1-3,7]").err
    listed = json.loads(ogai("job", "list", "1_[0-3]", "-o", "json").out)
    assert [job["state"] for job in listed] == ["PENDING", *["CANCELLED"] * 3]
    assert ogai("job", "cancel", "1_[3-").code == 2
    assert "no such job" in ogai("job", "cancel", "1_[9-11]").err
