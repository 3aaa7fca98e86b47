"""A shim may be killed at any moment: its tasks die with it, and the rest can be found and ended."""

import json
import os

from l2_scheduler.local.processes import end_leftovers, holders, identity_of, leftovers, marked


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


def test_a_leftover_too_young_for_the_list_is_found_by_its_claim(attempt, tmp_path):
    claim = tmp_path / "one.claim"
    descriptor = os.open(claim, os.O_RDWR | os.O_CREAT)
    job = attempt("sh", "-c", "sleep 0.3; env -i setsid sleep 60 & echo $!; wait")
    job.start(descriptor)
    job.until_log("\n")
    ghost = int(job.log())
    job.process.kill()
    job.wait()
    claim.unlink()
    assert identity_of(ghost) in holders(str(claim))
    assert end_leftovers(job.directory, job.token, 0.0, claim=str(claim)) >= 1
    assert identity_of(ghost) is None
    os.close(descriptor)


def test_list_of_another_boot_names_nobody(attempt):
    job = attempt("true")
    me = identity_of(os.getpid())
    content = {"boot_id": "another boot", "processes": [[me.pid, me.start_ticks]]}
    (job.directory / "processes.json").write_text(json.dumps(content))
    assert not leftovers(job.directory, job.token)
