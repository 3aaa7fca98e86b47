"""The tree drawn in the module's docstring is the tree there is, exit codes included."""

import errno
import os
import re
from pathlib import Path

import pytest

from l0_infra.core import errors


def test_the_tree_drawn_is_the_tree_there_is() -> None:
    drawn = dict(re.findall(r"^[├└─ ]*([A-Z]\w+) +([0-9]+)  ", errors.__doc__ or "", re.MULTILINE))
    faced = [getattr(errors, name) for name in errors.__all__]
    tree = [one for one in faced if isinstance(one, type) and issubclass(one, errors.OgaiError)]
    assert {one.__name__: str(one.exit_code) for one in tree} == drawn


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("/", "a directory"),
        ("/dev/null/x", "a file where a directory must be"),
        ("/nowhere/x", "no such file or directory"),
        ("/" + "x" * 300, "file name too long"),
    ],
)
def test_what_the_system_says_stands_after_the_word_found(place: str, said: str) -> None:
    with pytest.raises(OSError) as caught:
        Path(place).read_bytes()
    assert errors.describe_os_error(caught.value) == said


def test_an_error_of_the_system_without_words_has_some() -> None:
    taken = OSError(errno.EEXIST, os.strerror(errno.EEXIST))
    assert errors.describe_os_error(taken) == "something there already"
    assert errors.describe_os_error(OSError("Odd")) == "odd"
    assert errors.describe_os_error(OSError()) == "trouble"
