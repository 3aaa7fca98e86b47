import re

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Answer, Command, Runner, ScriptedRunner

LIST = Command(argv=("ls", "-l", "my file"))


def test_it_is_a_runner() -> None:
    runner: Runner = ScriptedRunner("n1")
    assert runner.target == "n1"


@pytest.mark.parametrize(
    "match",
    [("ls", "-l", "my file"), re.compile("^ls .*'my file'$"), lambda command: command.argv[0] == "ls"],
)
def test_it_answers_by_argv_pattern_or_predicate(match) -> None:  # type: ignore[no-untyped-def]
    runner = ScriptedRunner("n1").answer(match, Answer(stdout="two\n", stderr="warned", exit_code=4))
    outcome = runner.run(LIST)
    assert (outcome.stdout, outcome.stderr, outcome.exit_code) == ("two\n", "warned", 4)
    assert (outcome.argv, outcome.target, outcome.ended_by) == (LIST.argv, "n1", "exit")
    assert runner.calls == [LIST]


def test_the_last_answer_that_matches_counts_and_may_be_made_from_the_command() -> None:
    runner = ScriptedRunner().answer(re.compile(""), Answer(stdout="any"))
    runner.answer(re.compile("^ls"), lambda command: Answer(stdout=command.argv[-1]))
    assert runner.run(LIST).stdout == "my file"
    assert runner.run(Command(argv=("id",))).stdout == "any"


def test_it_refuses_what_it_was_not_taught_and_says_what_it_knows() -> None:
    runner = ScriptedRunner("n1").answer(("id", "-u"), Answer()).answer(re.compile("sq.*"), Answer())
    with pytest.raises(LookupError) as caught:
        runner.run(LIST)
    assert all(word in str(caught.value) for word in ("n1", "ls -l 'my file'", "id -u", "/sq.*/"))
    assert runner.calls == [LIST]


@pytest.mark.parametrize("answer", [Answer(hangs=True), Answer(takes_s=5), Answer(takes_s=90)])
def test_a_deadline_ends_what_takes_too_long(answer: Answer) -> None:
    outcome = ScriptedRunner().answer(("x",), answer).run(Command(argv=("x",), deadline_s=5))
    assert (outcome.ended_by, outcome.exit_code, outcome.elapsed_s) == ("deadline", None, 5)


def test_a_hang_without_a_deadline_is_refused_instead_of_played() -> None:
    with pytest.raises(LookupError, match="deadline"):
        ScriptedRunner().answer(("x",), Answer(hangs=True)).run(Command(argv=("x",), deadline_s=None))


def test_a_signal_and_a_lost_host_can_be_played() -> None:
    lost = RemoteError("n1", found="connection refused", expected="an ssh server", retry=True)
    runner = ScriptedRunner().answer(("x",), Answer(signal=11)).answer(("y",), Answer(error=lost))
    assert (runner.run(Command(argv=("x",))).ended_by, runner.run(Command(argv=("x",))).signal) == (
        "signal",
        11,
    )
    with pytest.raises(RemoteError, match="refused"):
        runner.run(Command(argv=("y",)))


def test_output_is_streamed_whole_and_kept_to_the_limit() -> None:
    seen: list[tuple[str, bytes]] = []
    runner = ScriptedRunner().answer(("x",), Answer(stdout=b"a" * 100, stderr="e"))
    outcome = runner.run(
        Command(argv=("x",), output_limit_bytes=10), on_output=lambda *piece: seen.append(piece)
    )
    assert seen == [("stdout", b"a" * 100), ("stderr", b"e")]
    assert (outcome.stdout_truncated, outcome.stderr_truncated) == (True, False)
    assert outcome.stdout.count("a") == 10


def test_files_are_kept_with_their_modes() -> None:
    with ScriptedRunner("n1") as runner:
        runner.put(b"abc", "/etc/x", mode=0o600)
        assert (runner.get("/etc/x"), runner.modes["/etc/x"]) == (b"abc", 0o600)
        for path, limit in (("/etc/none", 10), ("/etc/x", 2)):
            with pytest.raises(RemoteError) as caught:
                runner.get(path, limit_bytes=limit)
            assert caught.value.where == f"n1:{path}"
    assert runner.closed
