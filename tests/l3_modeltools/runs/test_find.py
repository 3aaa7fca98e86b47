"""A word means one run, or the refusal says which it may have meant."""

from pathlib import Path

import pytest

from l0_infra.core.errors import UsageError
from l3_modeltools.runs import choose_run, create_run, find_run
from tests.support.runs import a_run, a_train

RUNS = tuple(
    a_run(a_train(name), directory=Path("/runs") / f"{name}-{number}")
    for name, number in (("chat", 1), ("chat", 2), ("chat-long", 1), ("code", 9), ("chat", 10), ("chat-1", 4))
)


@pytest.mark.parametrize(
    ("word", "run_id"),
    [
        ("chat-1", "chat-1"),
        ("chat", "chat-10"),
        ("chat-1-", "chat-1-4"),
        ("chat-10", "chat-10"),
        ("chat-l", "chat-long-1"),
        ("co", "code-9"),
        ("chat-long", "chat-long-1"),
    ],
)
def test_a_word_means_an_id_first_then_a_name_then_a_beginning(word: str, run_id: str) -> None:
    assert choose_run(word, RUNS).run_id == run_id


@pytest.mark.parametrize(
    ("word", "found", "hint"),
    [
        (
            "c",
            "the beginning of `chat-1`, `chat-2`, `chat-long-1`, `code-9`, `chat-10` and 1 more",
            "more of",
        ),
        ("chta", "none of that id or name", "`chat`"),
        ("zzz", "none of that id or name", "ogai train list"),
        ("", "none of that id or name", "ogai train list"),
    ],
)
def test_a_word_that_means_none_or_several_is_refused(word: str, found: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose_run(word, RUNS)
    assert caught.value.found == found
    assert hint in caught.value.hint and bool(hint) == bool(caught.value.hint)


def test_it_is_found_on_disk(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no runs at all"):
        find_run("small", tmp_path)
    first, second = (create_run(tmp_path, a_train(), submitted_at=at) for at in (1.0, 2.0))
    assert find_run("small", tmp_path) == second
    assert find_run("small-1", tmp_path) == first
