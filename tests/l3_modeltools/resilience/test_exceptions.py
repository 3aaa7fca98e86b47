"""Exceptions are found in logs of any launcher, whatever stands before each line."""

import pytest

from l3_modeltools.resilience.exceptions import find_exceptions, without_quotes
from l3_modeltools.resilience.words import first_words

TRACEBACK = """\
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    run()
  File "train.py", line 2, in run
    raise Broken("the tap: drips")
plumbing.Broken: the tap: drips
"""


@pytest.mark.parametrize(
    "prefix", ["", "[rank3]: ", "[default0]:[rank0]: ", "(worker pid=7, ip=10.0.0.1) ", "stderr: "]
)
def test_an_exception_is_found_behind_prefixes(prefix: str) -> None:
    lines = ["step 1\rstep 2", *(prefix + line for line in TRACEBACK.splitlines()), "AfterThat: nothing"]
    found = list(find_exceptions(lines))
    assert [(raised.kind, raised.text) for raised in found] == [("plumbing.Broken", "the tap: drips")]
    assert (found[0].began, found[0].number) == (1, 6)


def test_of_a_chain_each_is_found_in_order() -> None:
    chain = f"{TRACEBACK}\nDuring handling of the above exception, another exception occurred:\n\n{TRACEBACK}"
    chain = chain.replace("plumbing.Broken: the tap: drips", "KeyError", 1)
    assert [str(raised) for raised in find_exceptions(chain.splitlines())] == [
        "KeyError",
        "plumbing.Broken: the tap: drips",
    ]


def test_without_a_traceback_there_is_none() -> None:
    assert list(find_exceptions(["ValueError: not below a traceback", "Epoch: 3"])) == []


def test_long_words_are_cut() -> None:
    assert first_words(" one\ntwo") == "one"
    assert len(first_words("x" * 5000)) == 301


@pytest.mark.parametrize("prefix", ["", "[rank3]: ", "[default0]:"])
def test_what_a_traceback_quotes_of_the_program_is_left_out(prefix: str) -> None:
    lines = [
        prefix + line for line in [*TRACEBACK.splitlines(), "    ^^^^", "    an indented line of the log"]
    ]
    kept = [line.removeprefix(prefix) for line in without_quotes(lines) if line]
    assert [line.strip().split()[0] for line in kept] == [
        "Traceback",
        "File",
        "File",
        "plumbing.Broken:",
        "^^^^",
        "an",
    ]
    assert len(list(without_quotes(lines))) == len(lines)
