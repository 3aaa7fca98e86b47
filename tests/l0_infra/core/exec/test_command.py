import pytest

from l0_infra.core.errors import RemoteError, UsageError
from l0_infra.core.exec import Command, Outcome


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"argv": ()}, "empty argv"),
        ({"argv": ("",)}, "empty argv"),
        ({"argv": ("echo", "a\0b")}, "NUL"),
        ({"argv": ("env",), "env": {"A B": "1"}}, "A B"),
        ({"argv": ("env",), "env": {"A;reboot": "1"}}, "A;reboot"),
        ({"argv": ("env",), "env": {"A": "x\0y"}}, "'A'"),
        ({"argv": ("true",), "deadline_s": 0}, "deadline_s=0"),
    ],
)
def test_what_no_program_can_be_given_is_refused(fields: dict[str, object], found: str) -> None:
    with pytest.raises(UsageError) as caught:
        Command(**fields)  # type: ignore[arg-type]
    assert found in caught.value.found


def test_a_script_comes_on_stdin_with_its_arguments() -> None:
    command = Command.script("echo $1", "two words")
    assert command.argv == ("sh", "-s", "--", "two words")
    assert command.stdin == b"echo $1"


def test_check_passes_success_through() -> None:
    outcome = Outcome(argv=("true",), ended_by="exit", exit_code=0)
    assert outcome.check() is outcome


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(argv=("x",), ended_by="exit", exit_code=3, target="n1"), "exit code 3"),
        (Outcome(argv=("x",), ended_by="signal", signal=9, target="n1"), "SIGKILL"),
        (Outcome(argv=("x",), ended_by="signal", signal=63, target="n1"), "signal 63"),
        (Outcome(argv=("x",), ended_by="deadline", elapsed_s=5, target="n1"), "no end after 5.0 s"),
    ],
)
def test_check_tells_where_and_how_it_ended(outcome: Outcome, words: str) -> None:
    with pytest.raises(RemoteError) as caught:
        outcome.check(hint="look there")
    assert words in caught.value.found
    assert caught.value.where == "n1: x"
    assert caught.value.hint == "look there"
    assert caught.value.retry is (outcome.ended_by == "deadline")


def test_check_shows_the_last_lines_of_stderr_only() -> None:
    lines = [f"line {n}" for n in range(100)]
    outcome = Outcome(argv=("x",), ended_by="exit", exit_code=1, stderr_bytes="\n".join(lines).encode())
    with pytest.raises(RemoteError) as caught:
        outcome.check()
    assert "line 99" in caught.value.found
    assert "line 1\n" not in caught.value.found


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert Outcome(argv=("x",), ended_by="exit", exit_code=0, stdout_bytes=b"a\xffb").stdout == "a\ufffdb"
