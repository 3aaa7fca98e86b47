"""One result in three shapes, on stdout."""

import json

import pytest
import yaml

from l1_podsys.schemas.cluster_state import AcceleratorState
from ogai.render import emit

PARTS = (AcceleratorState(id="nvidia:0", memory_bytes=4), AcceleratorState(id="no", model="010"))


@pytest.mark.parametrize("read", [("json", json.loads), ("yaml", yaml.safe_load)], ids=["json", "yaml"])
def test_programs_get_the_document(read, capsys: pytest.CaptureFixture[str]) -> None:
    shape, load = read
    emit(PARTS, shape, print)
    first, second = load(capsys.readouterr().out)
    assert first == {"id": "nvidia:0", "model": "", "memory_bytes": 4, "busy": None}
    assert (second["id"], second["model"]) == ("no", "010")


def test_people_get_what_show_prints(capsys: pytest.CaptureFixture[str]) -> None:
    emit(PARTS, "table", lambda parts: print(len(parts)))
    assert capsys.readouterr().out == "2\n"


def test_a_text_that_some_reader_takes_for_a_number_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    emit(AcceleratorState(id="nvidia:0", model="1e5"), "yaml", print)
    assert "model: '1e5'\n" in capsys.readouterr().out
