"""An attempt runs at most once, and its claim is held exactly as long as a process of it lives."""

import fcntl
import os

from l2_scheduler.local.shim import EXIT_REFUSED, EXIT_TRY_AGAIN


def test_second_shim_is_refused_while_the_first_runs(attempt):
    job = attempt("sh", "-c", "echo up; sleep 60")
    first = job.start()
    job.until_log("up")
    assert job.start().wait(10) == EXIT_REFUSED
    assert "another shim" in (job.directory / "shim.log").read_text()
    job.process = first
    job.say("kill CANCELLED enough")
    assert job.outcome()["state"] == "CANCELLED"
    assert job.log() == "up\n"


def test_second_shim_is_refused_after_the_first(attempt):
    job = attempt("sh", "-c", "echo once")
    job.run()
    before = (job.directory / "exit.json").read_bytes()
    assert job.start().wait(10) == EXIT_REFUSED
    assert job.log() == "once\n"
    assert (job.directory / "exit.json").read_bytes() == before


def test_void_attempt_never_starts(attempt):
    job = attempt("true")
    (job.directory / "void").touch()
    assert job.start().wait(10) == EXIT_REFUSED
    assert not (job.directory / "shim.json").exists()


def test_bad_launch_claims_nothing(attempt):
    job = attempt("true")
    (job.directory / "launch.json").write_text('{"job_id": "12_3"}')
    assert job.start().wait(10) == EXIT_TRY_AGAIN
    assert not (job.directory / "shim.json").exists()


def is_claimed(path):
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_claim_is_held_by_shim_and_task(attempt, tmp_path, until):
    claim = tmp_path / "claim"
    fd = os.open(claim, os.O_CREAT | os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    job = attempt("sh", "-c", f"echo up; readlink /proc/$$/fd/{fd}; sleep 60")
    job.start(fd)
    os.close(fd)
    job.until_log(str(claim))
    assert is_claimed(claim)
    job.say("kill CANCELLED enough")
    job.wait()
    assert not is_claimed(claim)


def test_claim_outlives_a_killed_shim_as_long_as_a_process_does(attempt, tmp_path, until):
    claim = tmp_path / "claim"
    fd = os.open(claim, os.O_CREAT | os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    job = attempt("sh", "-c", "setsid sh -c 'echo $$; exec sleep 60' & wait")
    job.start(fd)
    os.close(fd)
    job.until_log("\n")
    job.process.kill()
    job.wait()
    assert is_claimed(claim)
    os.kill(int(job.log()), 9)
    until(lambda: not is_claimed(claim))
