"""What people type wrongly is answered with the command to type."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

import pytest

from ogai.failure import ClickGrammar
from ogai.main import COMMANDS, build, main
from ogai.suggest import WRONG_USES, correct, spelled

SUBMIT_OPTIONS = {"--help": False, "-h": False, "--name": True, "--gpus-per-node": True, "--follow": False}

JOB_VERBS = (
    *("submit", "list", "show", "logs", "cancel", "wait", "why"),
    *("hold", "release", "requeue", "prune", "top"),
)


class Written:
    """A grammar as data: the commands as they are meant to be."""

    commands: Mapping[tuple[str, ...], Sequence[str]] = {
        (): ("job", "agent", "node", "schema", "doctor", "completion"),
        ("job",): JOB_VERBS,
        ("agent",): ("status", "stop"),
        ("node",): ("facts",),
        ("schema",): ("list", "show", "example", "check"),
    }

    def names(self, path: tuple[str, ...]) -> Sequence[str]:
        return self.commands.get(path, ())

    def options(self, path: tuple[str, ...]) -> Mapping[str, bool]:
        if path == ("job", "submit"):
            return SUBMIT_OPTIONS
        return {"--help": False, "--version": False} if not path else {"--help": False, "--output": True}


# typed, meant; every line is wrong in its own way
CASES = [
    ("jobs submit", "job submit"),
    ("submit x", "job submit x"),
    ("submit python train.py", "job submit -- python train.py"),
    ("job submit python train.py", "job submit -- python train.py"),
    ("job submit python train.py --name 3", "job submit -- python train.py --name 3"),
    ("job sumbit a.yaml", "job submit a.yaml"),
    ("sumbit a.yaml", "job submit a.yaml"),
    ("logs 3", "job logs 3"),
    ("tail 3", "job logs -f 3"),
    ("job ls", "job list"),
    ("jobs ls", "job list"),
    ("job kill 3", "job cancel 3"),
    ("job rm", "job cancel JOB_ID"),
    ("job status 12_3", "job show 12_3"),
    ("queue", "job list"),
    ("ps", "job list"),
    ("sbatch train.yaml", "job submit train.yaml"),
    ("srun hostname -f", "job submit -- hostname -f"),
    ("squeue", "job list"),
    ("scancel 7 8", "job cancel 7 8"),
    ("scontrol show job 5", "job show 5"),
    ("sinfo", "node facts"),
    ("jbo list", "job list"),
    ("job wiat 4", "job wait 4"),
    ("schema validate a.yaml", "schema check a.yaml"),
    ("doctr", "doctor"),
    ("--verison", "--version"),
    ("doctor --ouptut json", "doctor --output json"),
    ("help job", "job --help"),
    ("version", "--version"),
]

# These need the options of `ogai job submit`, whose names are its own affair.
OPTION_CASES = [
    ("job submit --nmae a python train.py", "job submit --name a -- python train.py"),
    ("job submit --name a python train.py", "job submit --name a -- python train.py"),
    ("job submit --name=a --follow python -c 1", "job submit --name=a --follow -- python -c 1"),
    ("job submit --gpus-per-nod 2 -- python train.py", "job submit --gpus-per-node 2 -- python train.py"),
    ("job submit --nmae=a x.yaml", "job submit --name=a x.yaml"),
]

RIGHT = [
    "job submit x.yaml",
    "job submit -- python --nmae 3",
    "job list --output json",
    "doctor",
    "xyzzy",
    "",
]


@pytest.mark.parametrize(("typed", "meant"), CASES + OPTION_CASES)
def test_the_command_meant_is_found(typed: str, meant: str) -> None:
    assert correct(typed.split(), Written()) == tuple(meant.split())


@pytest.mark.parametrize("typed", RIGHT)
def test_nothing_is_made_up(typed: str) -> None:
    assert correct(typed.split(), Written()) is None


def test_words_are_quoted_as_a_shell_needs_them() -> None:
    assert spelled(("job", "submit", "--", "sh", "-c", "a b")) == "ogai job submit -- sh -c 'a b'"


@pytest.mark.parametrize("use", WRONG_USES, ids=lambda use: use[0])
def test_the_table_turns_wrong_into_right(use: tuple[str, str, str]) -> None:
    grammar = Written()
    meant = correct(use[0].split(), grammar)
    assert meant is not None
    assert use[0].split()[-1] not in grammar.names(tuple(use[0].split()[:-1]))
    depth = 0
    while depth < len(meant) and grammar.names(meant[:depth]):
        assert meant[depth] in grammar.names(meant[:depth]) or meant[depth].startswith("-"), meant
        depth += 1


def _missing() -> list[str]:
    return [entry.target for entry in COMMANDS.values() if find_spec(entry.target.partition(":")[0]) is None]


whole = pytest.mark.skipif(bool(_missing()), reason=f"commands not there yet: {_missing()}")


@whole
def test_the_grammar_written_here_is_the_real_one() -> None:
    real, written = ClickGrammar(build()), Written()
    for path, names in written.commands.items():
        assert set(names) <= set(real.names(path)), path


@whole
@pytest.mark.parametrize(("typed", "meant"), CASES)
def test_the_command_line_answers_with_it(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(typed.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    assert f"did you mean: ogai {meant}\n" in err


def test_an_unknown_command_gets_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["xyzzy"]) == 2
    err = capsys.readouterr().err
    assert "found no such command 'xyzzy'; expected one of data, train, strategy, checkpoint, job" in err
    assert "hint: see: ogai --help" in err
