"""What every runner that reaches a real host must do, local and ssh alike."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Command, Outcome, Runner, Secret, fan_out


def sh(script: str, **fields: object) -> Command:
    return Command(argv=("sh", "-c", script), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "argument", ["two words", "it's", '"', "$HOME", "`id`", "a\nb", "*", "é", "", "-n", "\\", "!x"]
)
def test_arguments_arrive_as_they_are(runner: Runner, argument: str) -> None:
    outcome = runner.run(Command(argv=("printf", "%s|", argument, "end")))
    assert outcome.stdout == f"{argument}|end|"


def test_input_and_output_are_binary_safe(runner: Runner) -> None:
    content = bytes(range(256)) * 1000 + b"\r\n\0"
    outcome = runner.run(Command(argv=("cat",), stdin=content))
    assert outcome.stdout_bytes == content
    assert outcome.stderr_bytes == b""


def test_without_stdin_the_input_is_empty_and_ends(runner: Runner) -> None:
    assert runner.run(Command(argv=("wc", "-c"))).stdout.strip() == "0"


@pytest.mark.parametrize(
    ("script", "exit_code", "signal"),
    [
        ("exit 0", 0, None),
        ("exit 7", 7, None),
        ("exit 129", 129, None),
        ("exit 255", 255, None),
        ("kill -9 $$", None, 9),
    ],
)
def test_the_end_is_told(runner: Runner, script: str, exit_code: int | None, signal: int | None) -> None:
    outcome = runner.run(sh(script))
    assert (outcome.exit_code, outcome.signal) == (exit_code, signal)
    assert outcome.ended_by == ("exit" if signal is None else "signal")
    assert outcome.stderr == ""


def test_a_missing_program_and_directory_are_outcomes(runner: Runner) -> None:
    assert runner.run(Command(argv=("no-such-program",))).exit_code == 127
    assert runner.run(Command(argv=("pwd",), cwd="/no/such")).exit_code == 126
    assert runner.run(Command(argv=("pwd",), cwd="/usr")).stdout == "/usr\n"


def test_the_environment_arrives_and_shows_in_no_argv(runner: Runner) -> None:
    command = sh(
        'ps -eo args; echo "$PLAIN=$TOKEN"', env={"PLAIN": "a 'b'\n", "TOKEN": Secret("hidden-t0ken")}
    )
    listing, _, values = runner.run(command).check().stdout.rpartition("a 'b'")
    assert values == "\n=hidden-t0ken\n"
    assert "ps -eo args" in listing
    assert "hidden-t0ken" not in listing


def test_a_path_for_the_command_does_not_disturb_its_supervision(runner: Runner) -> None:
    outcome = runner.run(
        Command(argv=("/bin/sh", "-c", "echo $PATH; /bin/sleep 60"), env={"PATH": "/x"}, deadline_s=1)
    )
    assert (outcome.ended_by, outcome.stdout) == ("deadline", "/x\n")


def test_a_script_on_stdin_gives_its_facts(runner: Runner) -> None:
    outcome = runner.run(Command.script('printf \'{"kernel": "%s", "arg": "%s"}\' "$(uname -s)" "$1"', "x y"))
    assert outcome.stdout == '{"kernel": "Linux", "arg": "x y"}'


def test_output_streams_as_it_comes(runner: Runner, tmp_path: Path) -> None:
    pieces: list[tuple[str, bytes]] = []

    def take(stream: str, data: bytes) -> None:
        pieces.append((stream, data))
        (tmp_path / data.decode().strip()).touch()

    wait = f"while [ ! -e {tmp_path}/%s ]; do sleep 0.02; done"
    script = f"echo one; {wait % 'one'}; echo two >&2; {wait % 'two'}; echo three"
    outcome = runner.run(sh(script, deadline_s=20), on_output=take)
    assert pieces == [("stdout", b"one\n"), ("stderr", b"two\n"), ("stdout", b"three\n")]
    assert outcome.stdout == "one\nthree\n"


def test_huge_output_flows_and_only_head_and_tail_are_kept(runner: Runner) -> None:
    total = 0

    def count(stream: str, data: bytes) -> None:
        nonlocal total
        total += len(data)

    script = "echo begin; head -c 50000000 /dev/zero; echo end; head -c 3000000 /dev/zero >&2"
    outcome = runner.run(sh(script, output_limit_bytes=1000), on_output=count)
    assert total == 53_000_000 + len("begin\nend\n")
    assert outcome.stdout_truncated and outcome.stderr_truncated
    assert outcome.stdout_bytes.startswith(b"begin\n") and outcome.stdout_bytes.endswith(b"end\n")
    assert b"[49999010 bytes left out]" in outcome.stdout_bytes
    assert len(outcome.stdout_bytes) < 1100


def test_huge_input_flows(runner: Runner) -> None:
    assert runner.run(Command(argv=("wc", "-c"), stdin=b"x" * 50_000_000)).stdout.strip() == "50000000"


def test_input_that_nobody_reads_blocks_nobody(runner: Runner) -> None:
    assert runner.run(Command(argv=("true",), stdin=b"x" * 5_000_000)).ok
    hung = runner.run(Command(argv=("sleep", "60"), stdin=b"x" * 5_000_000, deadline_s=0.3))
    assert hung.ended_by == "deadline"


def test_a_command_that_closed_its_output_is_waited_for(runner: Runner) -> None:
    outcome = runner.run(sh("exec >&- 2>&-; sleep 0.4; exit 5"))
    assert outcome.exit_code == 5
    assert outcome.elapsed_s >= 0.4


def test_what_stays_in_the_background_is_left_alone_and_hangs_nobody(
    runner: Runner,
    mark: str,
    processes_with: Callable[[str], list[int]],
    wait_until: Callable[..., None],
) -> None:
    outcome = runner.run(sh(f"sleep {mark} & echo $!", deadline_s=20))
    assert outcome.ended_by == "exit"
    left = int(outcome.stdout)
    wait_until(lambda: processes_with(f"sleep\0{mark}") == [left], "it did not stay")
    runner.run(Command(argv=("kill", str(left)))).check()


ESCAPES = {
    "child": "sleep {mark} & wait",
    "setsid": "setsid sleep {mark} & wait",
    "deaf": "trap '' TERM; sleep {mark}",
    "deaf in a session of its own": "setsid sh -c 'trap \"\" TERM; sleep {mark}; sleep {mark}' & wait",
    "orphan": "(setsid sleep {mark} &) ; sleep {mark}",
    "bare": "env -i setsid sh -c 'sleep {mark} & sleep {mark}' & wait",
    "bare deaf orphan": "(env -i sh -c 'trap \"\" TERM; sleep {mark}; sleep {mark}' &); sleep {mark}",
    "stopped": "sleep {mark} & kill -STOP $!; wait",
    "closed output": "exec >&- 2>&- <&-; setsid sleep {mark} & sleep {mark}",
}


def test_a_deadline_ends_all_descendants(
    runner: Runner, mark: str, processes_with: Callable[[str], list[int]]
) -> None:
    def run(escape: str) -> Outcome:
        script = "echo begun; " + ESCAPES[escape].format(mark=f"{mark}{list(ESCAPES).index(escape)}")
        return runner.run(sh(script, deadline_s=1.5))

    for result in fan_out(tuple(ESCAPES), run):
        assert result.value is not None, result
        assert (result.item, result.value.ended_by) == (result.item, "deadline")
        assert result.value.stdout == "begun\n", result.item
    left = {escape: processes_with(f"sleep\0{mark}{number}") for number, escape in enumerate(ESCAPES)}
    assert left == {escape: [] for escape in ESCAPES}


def test_a_deadline_spares_others(
    runner: Runner, mark: str, processes_with: Callable[[str], list[int]]
) -> None:
    other = threading.Thread(target=runner.run, args=(sh(f"sleep {mark} & wait", deadline_s=60),))
    other.start()
    while not processes_with(f"sleep\0{mark}"):
        time.sleep(0.02)
    assert runner.run(sh("setsid sleep 60 & sleep 60", deadline_s=0.3)).ended_by == "deadline"
    [kept] = processes_with(f"sleep\0{mark}")
    runner.run(Command(argv=("kill", str(kept))))
    other.join()


def test_the_last_words_before_a_deadline_are_kept(runner: Runner) -> None:
    outcome = runner.run(sh("trap 'echo saved; exit' TERM; echo working; sleep 60 & wait", deadline_s=1))
    assert (outcome.stdout, outcome.ended_by) == ("working\nsaved\n", "deadline")


def test_a_file_is_put_and_got(runner: Runner, tmp_path: Path) -> None:
    path = tmp_path / "with space" / "file"
    path.parent.mkdir()
    content = bytes(range(256)) * 5000
    runner.put(b"old", str(path))
    runner.put(content, str(path), mode=0o640)
    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o7777 == 0o640
    assert runner.get(str(path)) == content
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]
    runner.put(b"", str(path))
    assert runner.get(str(path)) == b""


def test_files_that_cannot_be_moved_say_why(runner: Runner, tmp_path: Path) -> None:
    with pytest.raises(RemoteError, match="No such file"):
        runner.put(b"x", str(tmp_path / "no" / "file"))
    with pytest.raises(RemoteError, match="No such file"):
        runner.get(str(tmp_path / "none"))
    (tmp_path / "long").write_bytes(b"x" * 11)
    assert len(runner.get(str(tmp_path / "long"), limit_bytes=11)) == 11
    with pytest.raises(RemoteError, match="more than 10 bytes"):
        runner.get(str(tmp_path / "long"), limit_bytes=10)
