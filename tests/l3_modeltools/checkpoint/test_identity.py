"""Two documents of one model are one model; any size that differs makes another."""

import msgspec
import pytest

from l0_infra.core.documents import parse_document, render_document
from l3_modeltools.architectures import PRESETS, preset
from l3_modeltools.checkpoint import architecture_sha256
from l3_modeltools.schemas import Architecture, Rope

TINY = preset("tiny-llama")


def test_a_name_a_source_and_the_layout_of_a_file_make_no_other_model() -> None:
    renamed = msgspec.structs.replace(TINY, name="other", sources=("here",))
    written = parse_document(render_document(TINY), source="f", expect=Architecture)
    assert architecture_sha256(renamed) == architecture_sha256(written) == architecture_sha256(TINY)


@pytest.mark.parametrize(
    "changed",
    [
        {"num_hidden_layers": 5},
        {"tie_word_embeddings": False},
        {"positions": Rope(rope_theta=500_000.0)},
        {"mlp": msgspec.structs.replace(TINY.mlp, mlp_bias=True)},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_any_size_that_differs_makes_another_model(changed: dict[str, object]) -> None:
    assert architecture_sha256(msgspec.structs.replace(TINY, **changed)) != architecture_sha256(TINY)


def test_presets_are_different_models() -> None:
    assert len({architecture_sha256(preset(name)) for name in PRESETS}) == len(PRESETS)


def test_a_hash_stays_what_it_was() -> None:
    assert architecture_sha256(TINY) == "f36285933bb354920cc300179ac5c89f7fee96cc6d9cd367da49004d46814f99"
