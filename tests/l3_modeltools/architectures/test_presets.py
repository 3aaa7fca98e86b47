from pathlib import Path

import pytest

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.architectures import PRESETS, preset
from l3_modeltools.schemas import Architecture

EXAMPLES = Path(__file__).parents[3] / "examples/documents"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_named_as_its_file_and_says_where_its_sizes_are_from(name: str) -> None:
    assert preset(name).name == name
    assert preset(name).sources


@pytest.mark.parametrize(
    ("file", "name"), [("tiny_llama", "tiny-llama"), ("llama_3_1_405b", "llama-3.1-405b")]
)
def test_the_examples_are_the_presets(file: str, name: str) -> None:
    example = read_document(EXAMPLES / f"{file}.yaml", expect=Architecture)
    assert {field: getattr(example, field) for field in example.__struct_fields__ if field != "sources"} == {
        field: getattr(preset(name), field) for field in example.__struct_fields__ if field != "sources"
    }


def test_an_unknown_preset_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnsatisfiableError) as caught:
        preset("Llama-3.1-9B")
    assert caught.value.exit_code == 3
    assert "found `Llama-3.1-9B`" in str(caught.value)
    assert caught.value.hint == "did you mean `llama-3.1-8b`?"
