"""Who takes a lab down waits for the commands of whoever brings it up, and lets none begin afterwards."""

import threading
from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError
from l0_infra.core.exec import Command, LocalRunner
from l1_podsys.lab.held import HeldRunner, locked, no_commands


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "commands").touch()
    return tmp_path / "commands"


def test_a_command_runs_as_it_would(file: Path) -> None:
    runner = HeldRunner(LocalRunner(), file)
    done = runner.run(Command(argv=("sh", "-c", 'cat; echo "$0 $1"; exit 3', "a b", "c"), stdin=b"in "))
    assert (done.stdout, done.exit_code) == ("in a b c\n", 3)


def test_many_run_side_by_side_and_all_are_waited_for(file: Path, tmp_path: Path) -> None:
    runner, fifo = HeldRunner(LocalRunner(), file), tmp_path / "fifo"
    done: list[str] = []

    def work(name: str, script: str) -> None:
        runner.run(Command.script(script, str(fifo))).check()
        done.append(name)

    LocalRunner().run(Command(argv=("mkfifo", str(fifo)))).check()
    threads = [
        threading.Thread(target=work, args=("reader", 'cat "$1"')),
        threading.Thread(target=work, args=("writer", 'echo >"$1"')),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()  # neither could end alone
    with no_commands(file):
        assert sorted(done) == ["reader", "writer"]


def test_a_process_left_behind_counts_as_its_command(file: Path) -> None:
    left = HeldRunner(LocalRunner(), file).run(Command.script("sleep 60 >/dev/null 2>&1 & echo $!")).check()
    with pytest.raises(EngineError, match="still running"), no_commands(file, wait_s=0.1):
        pass
    LocalRunner().run(Command(argv=("kill", left.stdout.strip()))).check()
    with no_commands(file):
        pass


def test_nothing_begins_while_or_after_the_lab_is_taken_down(file: Path, tmp_path: Path) -> None:
    runner, mark = HeldRunner(LocalRunner(), file), tmp_path / "mark"
    begun = threading.Event()

    def work() -> None:
        begun.set()
        runner.run(Command(argv=("touch", str(mark))))

    thread = threading.Thread(target=work)
    with no_commands(file):
        thread.start()
        begun.wait()
        file.unlink()  # the last that is done when a lab is taken down
    thread.join()
    assert not mark.exists()


def test_a_folder_that_went_away_while_it_was_waited_for_is_made_anew(tmp_path: Path) -> None:
    folder, entered = tmp_path / "lab", threading.Event()
    begun = threading.Event()

    def up() -> None:
        begun.set()
        with locked(folder, make=True):
            (folder / "state").touch()
            entered.set()

    with locked(folder, make=True):
        thread = threading.Thread(target=up)
        thread.start()
        begun.wait()
        folder.rmdir()  # as `down` does
    thread.join()
    assert entered.is_set() and (folder / "state").exists()


def test_a_folder_that_is_not_there_is_not_locked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), locked(tmp_path / "lab"):
        pass


def test_one_that_is_to_be_alone_begins_when_what_was_left_behind_has_ended(
    file: Path, tmp_path: Path
) -> None:
    runner, fifo, said = HeldRunner(LocalRunner(), file, alone=True), tmp_path / "fifo", tmp_path / "said"
    LocalRunner().run(Command(argv=("mkfifo", str(fifo)))).check()
    behind = '{ read -r go <"$1"; echo first >>"$2"; } >/dev/null 2>&1 &'
    runner.run(Command.script(behind, str(fifo), str(said))).check()
    next_one = threading.Thread(
        target=lambda: runner.run(Command.script('echo second >>"$1"', str(said))).check()
    )
    next_one.start()
    next_one.join(0.3)  # time enough to be too early
    fifo.write_text("go\n")
    next_one.join()
    assert said.read_text() == "first\nsecond\n"
