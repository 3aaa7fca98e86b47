"""Words that no training command can take, such as what an unset variable leaves: where, found, expected, a hint."""

from pathlib import Path

import pytest

from ogai.main import main

SAID = """\
submit "" => FILE: found an empty word; expected the name of a file
submit . => .: found a directory; expected a file that can be read
submit /etc/passwd/x => /etc/passwd/x: found a file where a directory must be; expected a file that can be read
drill --spec "" => --spec: found an empty word; expected the name of a file
drill --spec . => .: found a directory; expected a file that can be read
drill "" => RUN: found an empty word; expected the id of a run
show "" => RUN: found an empty word; expected the id of a run
compare a "" => RUN: found an empty word; expected the id of a run
logs nobody => run `nobody`: found no runs at all; expected the id of a run
export nobody --to "" => --to: found an empty word; expected the name of a file
report nobody --to "" => --to: found an empty word; expected the name of a file
faults --log . => --log .: found a directory; expected a log that can be read
"""


@pytest.mark.parametrize("case", SAID.splitlines())
def test_a_word_that_cannot_be_is_said_with_what_could(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path))
    typed, said = case.split(" => ")
    words = ["" if word == '""' else word for word in typed.split()]
    assert main(["train", *words]) == 2
    shown = capsys.readouterr()
    first, hint = shown.err.splitlines()[:2]
    assert shown.out == "" and first.startswith(f"error: {said}")
    assert hint.startswith(("hint: ", "1 fault in "))
