import pytest

from l0_infra.core.documents import parse_document
from l3_modeltools.schemas import Architecture, GroupedAttention, Rope
from tests.support.documents import faults_of, hints_of

GOOD = """\
kind: architecture
name: sparse
model_type: mixtral
hidden_size: 4096
num_hidden_layers: 24
vocab_size: 32000
max_position_embeddings: 32768
attention:
  type: grouped
  num_attention_heads: 32
  num_key_value_heads: 8
mlp:
  intermediate_size: 14336
experts:
  n_routed_experts: 16
  num_experts_per_tok: 2
  moe_intermediate_size: 4096
  first_k_dense_replace: 1
"""
LATENT = """attention:
  type: latent
  num_attention_heads: 128
  kv_lora_rank: 512
  qk_nope_head_dim: 128
  qk_rope_head_dim: 64
  v_head_dim: 128
"""
GROUPED = GOOD[GOOD.index("attention:") : GOOD.index("mlp:")]


def test_a_good_architecture_has_no_faults() -> None:
    assert faults_of(GOOD, Architecture) == []
    assert faults_of(GOOD, Architecture, (GROUPED, LATENT)) == []
    assert faults_of(GOOD, Architecture, ("  num_key_value_heads: 8\n", "  head_dim: 100\n")) == []


def test_what_is_left_out_is_what_it_means() -> None:
    found = parse_document(GOOD.replace("  num_key_value_heads: 8\n", ""), source="x", expect=Architecture)
    assert isinstance(found.attention, GroupedAttention)
    assert found.attention.num_key_value_heads is None
    assert found.attention.key_value_heads == 32
    assert found.positions == Rope(rope_theta=10_000.0)


BAD = [
    (
        "width that heads do not divide",
        [("4096\nnum_h", "4100\nnum_h")],
        ["4:14: found hidden_size 4100 = 32 × 128 + 4; expected a multiple of num_attention_heads 32, or a head_dim"],
    ),
    (
        "odd heads that are rotated",
        [("4096\nnum_h", "4064\nnum_h")],
        ["4:14: found heads of 4064 / 32 = 127; expected heads of an even size, to be rotated"],
    ),
    (
        "kv heads that do not divide the heads",
        [("heads: 8", "heads: 12")],
        ["11:24: found num_attention_heads 32 = 12 × 2 + 8; expected a number that divides num_attention_heads"],
    ),
    (
        "more kv heads than heads",
        [("heads: 8", "heads: 64")],
        ["11:24: found num_attention_heads 32 = 64 × 0 + 32; expected a number that divides num_attention_heads"],
    ),
    (
        "more experts chosen than there are",
        [("tok: 2", "tok: 17")],
        ["16:24: found 17 of 16 experts; expected at most n_routed_experts"],
    ),
    (
        "groups that do not divide the experts",
        [("replace: 1", "replace: 1\n  n_group: 3")],
        ["19:12: found n_routed_experts 16 = 3 × 5 + 1; expected a number that divides n_routed_experts"],
    ),
    (
        "more groups chosen than there are",
        [("replace: 1", "replace: 1\n  n_group: 4\n  topk_group: 5")],
        ["20:15: found 5 of 4 groups; expected at most n_group"],
    ),
    (
        "more dense layers than layers",
        [("replace: 1", "replace: 25")],
        ["18:26: found 25 of 24 layers; expected at most num_hidden_layers"],
    ),
    (
        "another word for a field",
        [("num_hidden_layers", "n_layers")],
        [
            "1:1: found no `num_hidden_layers`; "
            "expected `num_hidden_layers`: Layers, without those that predict further",
            "5:1: found the key `n_layers`; expected a key that is known here",
        ],
    ),
    (
        "a kind of attention nobody knows",
        [("type: grouped", "type: linear")],
        ["9:9: found `linear`; expected one of `grouped`, `latent`"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), [pytest.param(c, e, id=i) for i, c, e in BAD])
def test_a_bad_architecture_is_told_where_it_is_bad(
    changes: list[tuple[str, str]], expected: list[str]
) -> None:
    assert faults_of(GOOD, Architecture, *changes) == expected


def test_hints_name_the_nearest_legal_values() -> None:
    bad = GOOD.replace("4096\nnum_h", "4100\nnum_h").replace("heads: 8", "heads: 12")
    assert hints_of(bad, Architecture) == ["nearest: 4096 or 4128", "nearest: 8 or 16"]
