from math import prod
from pathlib import Path
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.documents import parse_document, render_document
from l2_scheduler.schemas import Resources
from l3_modeltools.schemas import Degrees, Strategy, Train, TrainerCommand
from tests.support.documents import faults_of, hints_of

GOOD = """\
kind: train
name: chat
model:
  init_from: /models/base
data:
  mixture:
    - {dataset: books, weight: 2}
    - {dataset: code, weight: 0}
  sequence_length: 2048
  global_batch_size: 96
steps: 1000
optimizer:
  schedule: {type: wsd, warmup_steps: 50, decay_steps: 100}
checkpoint: {interval: auto}
resources: {nodes: 2, gpus_per_node: 8}
strategy:
  kind: strategy
  degrees: {dp: 4, tp: 4}
  micro_batch_size: 3
"""
INLINE = """model:
  architecture:
    kind: architecture
    name: tiny
    model_type: llama
    hidden_size: 256
    num_hidden_layers: 6
    vocab_size: 1001
    max_position_embeddings: 2048
    attention: {type: grouped, num_attention_heads: 8}
    mlp: {intermediate_size: 512}
"""
MODEL = GOOD[GOOD.index("model:") : GOOD.index("data:")]
WORKLOAD = f"""\
  workload:
    sequence_length: 8
    global_batch_size: 12
{indent(INLINE.removeprefix("model:").strip(chr(10)).replace("1001", "1004"), "  ")}"""
COMMAND = (
    "kind: train\nname: mine\nframework: command\ncommand: {argv: [python, train.py], secrets: [HF_TOKEN]}\n"
)


def test_good_trainings_have_no_faults() -> None:
    assert faults_of(GOOD, Train) == []
    assert faults_of(GOOD, Train, (MODEL, INLINE.replace("1001", "1004"))) == []
    assert faults_of(COMMAND, Train) == []


def test_a_training_survives_being_written_and_read() -> None:
    train = parse_document(GOOD, source="x", expect=Train)
    assert parse_document(render_document(train), source="y", expect=Train) == train


BAD = [
    (
        "weights that are all 0",
        [("weight: 2", "weight: 0")],
        ["7:5: found weights that are all 0; expected a weight above 0"],
    ),
    (
        "a negative weight",
        [("weight: 2", "weight: -2")],
        ["7:32: found `-2`; expected a number of 0 or more"],
    ),
    (
        "a data set twice",
        [("dataset: code", "dataset: books")],
        ["8:17: found `books`, already that of mixture[0]; expected a unique dataset"],
    ),
    (
        "a global batch that is no multiple",
        [("batch_size: 96", "batch_size: 100")],
        ["10:22: found global_batch_size 100 = 12 × 8 + 4; expected a multiple of micro_batch_size 3 × dp 4"],
    ),
    (
        "degrees that do not multiply to the ranks",
        [("{dp: 4, tp: 4}", "{dp: 2, tp: 4}")],
        ["18:12: found dp 2 · tp 4 · pp 1 · cp 1 = 8 ranks; expected nodes 2 · gpus_per_node 8 = 16"],
    ),
    (
        "a workload of its own",
[("  micro", f"{WORKLOAD}\n  micro")],
        ["20:5: found a workload; expected none within a `train`"],
    ),
    (
        "a model that the strategy cannot cut",
        [(MODEL, INLINE), ("tp: 4}", "tp: 2, pp: 2}")],
        ["27:24: found vocab_size 1001 = 2 × 500 + 1; expected a vocabulary that tp 2 divides"],
    ),
    (
        "a schedule longer than the training",
        [("steps: 1000", "steps: 149")],
        ["13:13: found a schedule of at least 150 steps in a training of 149; expected at most 149"],
    ),
    (
        "a model that is nothing",
        [("init_from: /models/base", "lora: {r: 8}")],
        [
            "4:3: found neither architecture nor init_from; expected at least one of them",
            "4:9: found an adapter to random weights; expected init_from beside it",
        ],
    ),
    (
        "a rhythm of keeping that no save meets",
        [("{interval: auto}", "{every_steps: 200, keep_every_steps: 300}")],
        ["14:50: found 300, no multiple of every_steps 200; expected steps at which a checkpoint is saved"],
    ),
    (
        "a command without its framework",
        [("steps: 1000", "steps: 1000\ncommand: {argv: [x]}")],
        ["1:1: found a command with the framework `ogai`; expected `framework: command` and `command` together"],
    ),
    (
        "no data and no length",
        [("steps: 1000\n", ""), (GOOD[GOOD.index("data:") : GOOD.index("steps:")], "")],
        [
            "1:1: found no `data`; expected `data`, which the framework `ogai` needs",
            "1:1: found no `steps`; expected `steps`, which the framework `ogai` needs",
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), [pytest.param(c, e, id=i) for i, c, e in BAD])
def test_a_bad_training_is_told_where_it_is_bad(changes: list[tuple[str, str]], expected: list[str]) -> None:
    assert faults_of(GOOD, Train, *changes) == expected


def test_a_framework_command_needs_its_command() -> None:
    changed = COMMAND[: COMMAND.index("command: {")]
    assert faults_of(changed, Train) == [
        "3:12: found `command` without a command; expected `framework: command` and `command` together"
    ]


def test_nobody_would_be_told_of_a_trainer_that_nobody_watches() -> None:
    (fault,) = faults_of(COMMAND + "notify: [{command: [tell]}]\n", Train)
    assert "found notifications; expected none with `framework: command`" in fault


def test_hints_name_the_nearest_legal_values() -> None:
    bad = GOOD.replace("dp: 4", "dp: 3").replace("batch_size: 96", "batch_size: 95")
    assert hints_of(bad, Train) == ["nearest: 90 or 99", "nearest: `dp: 4`"]


@given(st.lists(st.integers(1, 4), min_size=4, max_size=4), st.integers(1, 8), st.integers(0, 8))
def test_degrees_must_multiply_to_the_ranks(degrees: list[int], nodes: int, gpus: int) -> None:
    dp, tp, pp, cp = degrees
    train = Train(
        name="t",
        framework="command",
        command=TrainerCommand(argv=("x",)),
        resources=Resources(nodes=nodes, gpus_per_node=gpus, tasks_per_node=3),
        strategy=Strategy(degrees=Degrees(dp=dp, tp=tp, pp=pp, cp=cp)),
    )
    assert (not list(train.faults())) == (prod(degrees) == nodes * (gpus or 3))


def test_the_example_counts_its_tokens_right() -> None:
    text = Path(__file__).parents[3].joinpath("examples/documents/train_tiny_llama.yaml").read_text("utf-8")
    train = parse_document(text, source="x", expect=Train)
    assert train.data is not None and train.steps is not None
    assert train.data.global_batch_size * train.data.sequence_length == 4096
