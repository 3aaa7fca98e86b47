from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.schemas import (
    Architecture,
    Degrees,
    GroupedAttention,
    Mlp,
    Pipeline,
    Strategy,
    balanced_offset,
    cut_faults,
    layers_by_stage,
)
from tests.support.documents import faults_of, hints_of

GOOD = """\
kind: strategy
degrees: {dp: 4, tp: 2, pp: 4}
micro_batch_size: 2
pipeline: {offset: [[0, 1, 1, 0]]}
workload:
  sequence_length: 4096
  global_batch_size: 64
  architecture:
    kind: architecture
    name: small
    model_type: llama
    hidden_size: 2048
    num_hidden_layers: 30
    vocab_size: 32000
    max_position_embeddings: 4096
    attention: {type: grouped, num_attention_heads: 16, num_key_value_heads: 4}
    mlp: {intermediate_size: 5632}
"""
OFFSET = "{offset: [[0, 1, 1, 0]]}"
DEGREES = "{dp: 4, tp: 2, pp: 4}"
EXPERTS = (
    "5632}",
    "5632}\n    experts: {n_routed_experts: 8, num_experts_per_tok: 2, moe_intermediate_size: 9}",
)


def test_a_good_strategy_has_no_faults() -> None:
    assert faults_of(GOOD, Strategy) == []
    lists = "{mode: full, layers: [[1, 0, 8, 2]], selective_layers: [[6, 8, 0, 1]], gathering_layers: [[2, 8, 0, 3]]}"
    assert faults_of(GOOD, Strategy, (OFFSET, f"{OFFSET}\nrecompute: {lists}")) == []
    assert faults_of(GOOD, Strategy, EXPERTS, (DEGREES, "{dp: 4, tp: 2, pp: 4, ep: 8}")) == []


BAD = [
    (
        "no offset where one is needed",
        [(f"pipeline: {OFFSET}\n", "")],
        ["1:1: found sum 0, which builds 28 of 30 layers; expected sum 2: 30 layers = pp 4 · vp 1 · 7 + 2"],
    ),
    (
        "offsets of a wrong sum",
        [("[[0, 1, 1, 0]]", "[[0, 1, 1, 1]]")],
        ["4:20: found sum 3, which builds 31 of 30 layers; expected sum 2: 30 layers = pp 4 · vp 1 · 7 + 2"],
    ),
    (
        "layers for multi-token prediction count",
        [("num_hidden_layers: 30", "num_hidden_layers: 30\n    num_nextn_predict_layers: 1")],
        [
            "4:20: found sum 2, which builds 30 of 30 + 1 layers; "
            "expected sum 3: 30 + 1 layers = pp 4 · vp 1 · 7 + 3"
        ],
    ),
    (
        "a stage without layers",
        [("[[0, 1, 1, 0]]", "[[-7, 1, 1, 7]]")],
        ["4:22: found 7 + -7 = 0 layers on stage 0; expected at least 1"],
    ),
    (
        "offset of the wrong shape",
        [("[[0, 1, 1, 0]]", "[[0, 1], [1, 0]]")],
        ["4:20: found 2 rows of 2 numbers; expected vp 1 rows of pp 4 numbers"],
    ),
    (
        "ragged offset",
        [("[[0, 1, 1, 0]]", "[[0, 1, 1, 0], [1, 0]]")],
        ["4:20: found 2 rows of 2 or 4 numbers; expected vp 1 rows of pp 4 numbers"],
    ),
    (
        "more stages than layers",
        [(DEGREES, "{dp: 4, tp: 2, pp: 31}"), (f"pipeline: {OFFSET}\n", "")],
        ["2:29: found pp 31 · vp 1 = 31 stages for 30 layers; expected a layer for every stage"],
    ),
    (
        "recomputes more layers than a stage has",
        [(OFFSET, f"{OFFSET}\nrecompute: {{mode: full, layers: [[7, 8, 9, 7]]}}")],
        ["5:41: found 9 of the 8 layers of this stage; expected no more than it has"],
    ),
    (
        "layers for no recomputation",
        [(OFFSET, f"{OFFSET}\nrecompute: {{layers: [[1, 1, 1, 1]]}}")],
        ["5:21: found layers with the mode `none`; expected `selective` or `full`"],
    ),
    (
        "selective layers where all are recomputed",
        [(OFFSET, f"{OFFSET}\nrecompute: {{mode: full, selective_layers: [[0, 0, 0, 1]]}}")],
        [
            "5:54: found 1 of 0 layers of this stage that are not recomputed in full; "
            "expected no more than it has"
        ],
    ),
    (
        "more selective and gathering layers than full ones leave",
        [
            (
                OFFSET,
                f"{OFFSET}\nrecompute: {{mode: full, layers: [[5, 5, 5, 5]], selective_layers: [[2, 4, 3, 2]], "
                "gathering_layers: [[2, 3, 3, 3]]}",
            )
        ],
        [
            "5:72: found 4 of 3 layers of this stage that are not recomputed in full; "
            "expected no more than it has",
            "5:112: found 3 of 2 layers of this stage that are not recomputed in full; "
            "expected no more than it has",
        ],
    ),
    (
        "selective layers twice",
        [(OFFSET, f"{OFFSET}\nrecompute: {{mode: selective, selective_layers: [[1, 1, 1, 1]]}}")],
        ["5:48: found selective_layers with the mode `selective`; expected `full`, or `layers`"],
    ),
    (
        "gathering layers of the wrong shape",
        [(OFFSET, f"{OFFSET}\nrecompute: {{gathering_layers: [[1, 1]]}}")],
        ["5:31: found 1 rows of 2 numbers; expected vp 1 rows of pp 4 numbers"],
    ),
    (
        "fewer kv heads than tp",
        [(DEGREES, "{dp: 4, tp: 8, pp: 4}")],
        ["2:22: found num_key_value_heads 4, fewer than tp 8; expected a tp that divides num_key_value_heads"],
    ),
    (
        "kv heads that tp does not divide",
        [(DEGREES, "{dp: 4, tp: 4, pp: 4}"), ("16, num_key_value_heads: 4", "24, head_dim: 8, num_key_value_heads: 6")],
        ["2:22: found num_key_value_heads 6 = 4 × 1 + 2; expected a tp that divides num_key_value_heads"],
    ),
    (
        "a vocabulary that tp does not divide",
        [("32000", "151669")],
        ["2:22: found vocab_size 151669 = 2 × 75834 + 1; expected a vocabulary that tp 2 divides"],
    ),
    (
        "padding that tp does not divide",
        [("32000", "31999\n"), ("micro", "padded_vocab_size: 32001\nmicro")],
        ["3:20: found padded_vocab_size 32001 = 2 × 16000 + 1; expected a vocabulary that tp 2 divides"],
    ),
    (
        "padding below the vocabulary",
        [("micro", "padded_vocab_size: 31998\nmicro")],
        ["3:20: found 31998, fewer than vocab_size 32000; expected at least vocab_size"],
    ),
    (
        "a global batch that is no multiple",
        [("size: 64", "size: 60")],
        [
            "7:22: found global_batch_size 60 = 8 × 7 + 4; "
            "expected a multiple of micro_batch_size 2 × dp 4"
        ],
    ),
    (
        "experts where there are none",
        [(DEGREES, "{dp: 4, tp: 2, pp: 4, ep: 2}")],
        ["2:36: found ep 2 for a model without experts; expected ep 1"],
    ),
    (
        "ep that divides neither experts nor ranks",
        [EXPERTS, (DEGREES, "{dp: 4, tp: 2, pp: 4, ep: 3}")],
        [
            "2:36: found n_routed_experts 8 = 3 × 2 + 2; expected an ep that divides n_routed_experts",
            "2:36: found ep 3 with dp 4 · cp 1 · tp 2; expected an ep that divides dp · cp · tp",
        ],
    ),
    (
        "a sequence that cp does not cut in halves",
        [(DEGREES, "{dp: 4, tp: 2, pp: 4, cp: 3}")],
        ["2:36: found sequence_length 4096 = 6 × 682 + 4; expected a sequence_length that 6 parts divide"],
    ),
    (
        "degrees that contradict each other",
        [(DEGREES, "{dp: 4, vp: 2, sequence_parallel: true}"), (OFFSET, "{schedule: zero_bubble}")],
        [
            "2:22: found vp 2 with pp 1; expected vp 1, or pp of 2 or more",
            "2:44: found true with tp 1; expected tp of 2 or more",
        ],
    ),
    (
        "a schedule without its stages",
        [(OFFSET, "{offset: [[0, 1, 1, 0]], schedule: interleaved}")],
        ["4:46: found `interleaved` with vp 1; expected `1f1b`, or a vp of 2 or more"],
    ),
    (
        "virtual stages without their schedule",
        [(DEGREES, "{dp: 4, tp: 2, pp: 2, vp: 2}"), (OFFSET, "{offset: [[0, 1], [1, 0]], schedule: 1f1b}")],
        ["4:48: found `1f1b` with vp 2; expected `interleaved`"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), [pytest.param(c, e, id=i) for i, c, e in BAD])
def test_a_bad_strategy_is_told_where_it_is_bad(changes: list[tuple[str, str]], expected: list[str]) -> None:
    assert faults_of(GOOD, Strategy, *changes) == expected


def test_hints_name_the_nearest_legal_values() -> None:
    bad = (
        GOOD.replace(DEGREES, "{dp: 4, tp: 3, pp: 4}")
        .replace("size: 64", "size: 60")
        .replace("1, 1, 0", "1, 1, 1")
    )
    heads = "nearest that divides num_attention_heads, num_key_value_heads, intermediate_size: 2 or 4"
    assert hints_of(bad, Strategy) == [
        *(heads, heads, heads),
        "pad it once: `padded_vocab_size: 32001`",
        "nearest: [[0, 1, 1, 0]]",
        "nearest: 56 or 64",
    ]


# Layers, those for multi-token prediction, and the offset by [v][p] of public configurations.
PUBLIC = [
    (40, 0, ((-1, 0, 2, -1),)),
    (80, 0, ((-1, 0, 0, 0, 0, 0, 1, 0),)),
    (61, 1, ((0, *(1,) * 14, 0),)),
    (126, 0, ((0, *(1,) * 14, 0),)),
    (30, 0, ((1, 0), (0, 1))),
]


@pytest.mark.parametrize(("layers", "further", "offset"), PUBLIC)
def test_public_offsets_are_legal(layers: int, further: int, offset: tuple[tuple[int, ...], ...]) -> None:
    strategy = piped(len(offset[0]), len(offset), offset)
    assert list(cut_faults(strategy, model(layers, further), 4096)) == []
    assert sum(map(sum, layers_by_stage(strategy, layers + further))) == layers + further


def test_the_405b_on_sixteen_stages_keeps_its_ends_light() -> None:
    assert balanced_offset(126, 16, 1) == ((0, *(1,) * 14, 0),)
    assert layers_by_stage(piped(16, 1, balanced_offset(126, 16, 1)), 126) == ((7, *(8,) * 14, 7),)


@st.composite
def cuts(draw: st.DrawFn) -> tuple[int, int, int]:
    pp, vp = draw(st.integers(1, 24)), draw(st.integers(1, 4))
    return draw(st.integers(pp * vp, 400)), pp, vp


@given(cuts())
def test_a_balanced_offset_obeys_the_equation(cut: tuple[int, int, int]) -> None:
    layers, pp, vp = cut
    offset = balanced_offset(layers, pp, vp)
    assert sum(map(sum, offset)) == layers % (pp * vp)
    assert {extra for row in offset for extra in row} <= {0, 1}
    assert list(cut_faults(piped(pp, vp, offset), model(layers, 0), 4096)) == []


@given(cuts(), st.data())
def test_an_offset_is_legal_exactly_when_all_layers_are_built(
    cut: tuple[int, int, int], data: st.DataObject
) -> None:
    layers, pp, vp = cut
    row = st.tuples(*[st.integers(-2, 2)] * pp)
    offset = data.draw(st.tuples(*[row] * vp))
    stages = layers_by_stage(piped(pp, vp, offset), layers)
    legal = sum(map(sum, stages)) == layers and min(map(min, stages)) >= 1
    assert (not list(cut_faults(piped(pp, vp, offset), model(layers, 0), 4096))) == legal
    nearest = balanced_offset(layers, pp, vp, offset)
    assert not list(cut_faults(piped(pp, vp, nearest), model(layers, 0), 4096))
    assert not legal or nearest == offset


@given(st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_the_degrees_multiply_to_the_world_size(degrees: list[int]) -> None:
    dp, tp, pp, cp = degrees
    assert Degrees(dp=dp, tp=tp, pp=pp, cp=cp, ep=dp, vp=1 + (pp > 1)).world_size == prod(degrees)


def piped(pp: int, vp: int, offset: tuple[tuple[int, ...], ...]) -> Strategy:
    return Strategy(degrees=Degrees(pp=pp, vp=vp), pipeline=Pipeline(offset=offset))


def model(layers: int, further: int) -> Architecture:
    return Architecture(
        name="m",
        model_type="llama",
        hidden_size=64,
        num_hidden_layers=layers,
        num_nextn_predict_layers=further,
        vocab_size=512,
        max_position_embeddings=4096,
        attention=GroupedAttention(num_attention_heads=4),
        mlp=Mlp(intermediate_size=128),
    )
