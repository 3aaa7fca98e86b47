"""Whoever ends a job, no process of it is left, and the first cause is the one that is told."""

import os
import signal
import sys

import pytest

from l2_scheduler.local.processes import identity_of, marked, signal_identity
from l2_scheduler.local.shim import engine_environment


def test_cancel_reaches_a_child_in_its_own_session(attempt):
    job = attempt("sh", "-c", "setsid sleep 60 & echo up; wait")
    job.start()
    job.until_log("up")
    job.say("end CANCELLED by user root")
    outcome = job.outcome()
    assert (outcome["state"], outcome["reason"]) == ("CANCELLED", "by user root")
    assert outcome["signal"] == 15
    assert not marked(job.token)
    assert [event["event"] for event in job.events()] == ["started", "ending", "ended"]


def test_task_that_ignores_sigterm_is_killed_after_the_grace(attempt):
    job = attempt("sh", "-c", "trap '' TERM; echo up; while :; do sleep 60; done", grace_s=0.2)
    job.start()
    job.until_log("up")
    job.say("end CANCELLED by user root")
    outcome = job.outcome()
    assert (outcome["state"], outcome["signal"]) == ("CANCELLED", 9)
    assert outcome["elapsed_s"] >= 0.2
    assert not marked(job.token)


def test_grace_lets_a_task_finish_its_work(attempt):
    job = attempt(
        "sh", "-c", "trap 'sleep 0.2; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    )
    job.start()
    job.until_log("up")
    job.say("end CANCELLED by user root")
    assert job.outcome()["exit_code"] == 0
    assert "saved" in job.log()


def test_an_order_repeated_sends_sigterm_once(attempt):
    save = "trap 'echo asked; sleep 0.3; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    job = attempt("sh", "-c", save)
    job.start()
    job.until_log("up")
    for _ in range(3):
        job.say("end CANCELLED by user root")
        job.until_log("asked")
    job.outcome()
    assert job.log().count("asked") == job.log().count("saved") == 1
    assert [event["event"] for event in job.events()] == ["started", "ending", "ended"]


def test_kill_during_the_grace_hastens(attempt):
    job = attempt("sh", "-c", "trap 'echo asked' TERM; echo up; while :; do sleep 0.05; done", grace_s=600.0)
    job.start()
    job.until_log("up")
    job.say("end CANCELLED by user root")
    job.until_log("asked")
    job.say("kill NODE_FAIL now")
    outcome = job.outcome()
    assert (outcome["state"], outcome["reason"], outcome["signal"]) == ("CANCELLED", "by user root", 9)


def test_stopped_task_is_ended(attempt):
    job = attempt("sh", "-c", "echo up; kill -STOP $$", grace_s=600.0)
    job.start()
    job.until_log("up")
    job.say("end CANCELLED by user root")
    assert job.outcome()["state"] == "CANCELLED"


def test_nonsense_in_control_is_no_order(attempt):
    job = attempt("sh", "-c", "echo up; sleep 0.2; exit 5")
    job.start()
    job.until_log("up")
    job.say("stop\nend\nend COMPLETED haha\n" + "x" * 9000)
    assert job.outcome()["exit_code"] == 5


def test_sigterm_to_the_shim_is_a_shutdown(attempt):
    job = attempt("sh", "-c", "trap 'echo told; exit 0' TERM; echo up; while :; do sleep 0.05; done")
    job.start()
    job.until_log("up")
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        job.process.send_signal(number)
    outcome = job.outcome()
    assert (outcome["state"], outcome["reason"]) == ("NODE_FAIL", "the machine is shutting down")
    assert "told" in job.log()


def test_gang_ends_with_its_first_failure(attempt):
    job = attempt("sh", "-c", "test $OGAI_RANK = 2 && exit 7; sleep 60", tasks=4)
    outcome = job.run()
    assert (outcome["state"], outcome["exit_code"]) == ("FAILED", 7)
    assert outcome["reason"] == "task 2 ended with exit code 7"
    assert [(task["exit_code"], task["signal"]) for task in outcome["tasks"]] == [
        (None, 15),
        (None, 15),
        (7, None),
        (None, 15),
    ]


def test_gang_waits_for_all(attempt):
    outcome = attempt("sh", "-c", "sleep 0.$OGAI_RANK", tasks=3).run()
    assert outcome["state"] == "COMPLETED"
    assert outcome["elapsed_s"] >= 0.2


def test_daemon_left_behind_is_ended_and_told(attempt):
    job = attempt("sh", "-c", "(setsid sleep 60 &) ; exit 0")
    assert job.run()["state"] == "COMPLETED"
    assert not marked(job.token)
    assert [event.get("processes") for event in job.events() if event["event"] == "cleaned"] == [1]


def test_daemon_about_to_finish_may(attempt):
    job = attempt("bash", "-c", "echo hello > >(sleep 0.1; cat)")
    assert job.run()["state"] == "COMPLETED"
    assert job.log() == "hello\n"
    assert [event["event"] for event in job.events()] == ["started", "ended"]


def test_engine_started_from_within_a_job_outlives_it(attempt):
    environment = engine_environment({"PATH": os.environ["PATH"]})
    script = f"import subprocess; print(subprocess.Popen(['sleep', '60'], env={environment}).pid)"
    job = attempt(sys.executable, "-S", "-c", script)
    assert job.run()["state"] == "COMPLETED"
    engine = identity_of(int(job.log()))
    assert signal_identity(engine, signal.SIGKILL)


def test_job_cannot_pass_for_the_engine(attempt):
    job = attempt("sh", "-c", "(setsid sleep 60 &)", environment=engine_environment({}))
    job.run()
    assert not marked(job.token)
    assert [event.get("processes") for event in job.events() if event["event"] == "cleaned"] == [1]


BOMB = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + 30
def keep_alive():
    os.setsid()
    while time.monotonic() < end:
        child = os.fork()
        if child == 0:
            time.sleep(30)
            os._exit(0)
        os.waitpid(child, 0)
    os._exit(0)
for _ in range(25):
    if os.fork() == 0:
        keep_alive()
print("up", flush=True)
time.sleep(30)
"""


def test_processes_that_fork_again_when_killed_are_ended(attempt):
    job = attempt(sys.executable, "-S", "-c", BOMB, grace_s=0.1)
    job.start()
    job.until_log("up")
    job.say("end CANCELLED by user root")
    assert job.outcome()["state"] == "CANCELLED"
    assert not marked(job.token)


@pytest.mark.parametrize("line", ["end CANCELLED", "kill CANCELLED"])
def test_order_before_the_tasks_are_up(attempt, line):
    job = attempt("sleep", "60")
    os.mkfifo(job.directory / "control")
    keep = os.open(job.directory / "control", os.O_RDWR)
    os.write(keep, line.encode() + b"\n")
    try:
        assert job.run()["state"] == "CANCELLED"
    finally:
        os.close(keep)
