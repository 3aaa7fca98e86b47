"""A shim may be killed at any moment: its tasks die with it, and the rest can be found and ended."""

import json
import os

from l2_scheduler.local.processes import end_leftovers, identity_of, leftovers, marked


def test_tasks_die_with_their_shim(attempt, until):
    job = attempt("sleep", "60", tasks=2)
    job.start()
    until(lambda: len(marked(job.token)) == 2)
    job.process.kill()
    job.wait()
    until(lambda: not marked(job.token))
    assert not (job.directory / "exit.json").exists()


def test_leftovers_are_found_by_their_mark_and_ended(attempt):
    job = attempt("sh", "-c", "setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 60; done' & wait")
    job.start()
    job.until_log("up")
    job.process.kill()
    job.wait()
    assert end_leftovers(job.directory, job.token, 0.1) >= 1
    assert not leftovers(job.directory, job.token)


def test_leftovers_without_a_mark_are_found_by_the_list(attempt, until):
    job = attempt("sh", "-c", "env -i setsid sleep 60 & echo $!; wait")
    job.start()
    job.until_log("\n")
    pid = int(job.log())
    listed = job.directory / "processes.json"
    until(lambda: listed.exists() and pid in dict(json.loads(listed.read_text())["processes"]))
    job.process.kill()
    job.wait()
    assert identity_of(pid) in leftovers(job.directory, job.token)
    assert end_leftovers(job.directory, job.token, 5.0) >= 1
    assert identity_of(pid) is None


def test_list_of_another_boot_names_nobody(attempt):
    job = attempt("true")
    me = identity_of(os.getpid())
    content = {"boot_id": "another boot", "processes": [[me.pid, me.start_ticks]]}
    (job.directory / "processes.json").write_text(json.dumps(content))
    assert not leftovers(job.directory, job.token)
