import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from l0_infra import load_devices
from l0_infra.core.documents import parse_document, read_document, render_document
from l0_infra.core.errors import DocumentError, OgaiError, UnsatisfiableError
from l2_scheduler.schemas import Resources
from l3_modeltools.architectures import preset
from l3_modeltools.planning import AcceleratorSize, Place, Site, TrainingPlan, estimate_memory, plan_training
from l3_modeltools.planning.fit import judge_fit
from l3_modeltools.schemas import (
    Architecture,
    Calibration,
    Checkpointing,
    Dataset,
    Degrees,
    Dpo,
    Lora,
    Machine,
    Recompute,
    Sft,
    Strategy,
    Train,
    TrainedModel,
)
from tests.support.trainings import GIB, H100, LAPTOP, NODES, dataset, mixed, training

TINY, LLAMA = preset("tiny-llama"), preset("llama-3.1-8b")


def plan(
    train: Train,
    *datasets: Dataset,
    architecture: Architecture = TINY,
    place: Place = LAPTOP,
    init_from: Architecture | None = None,
    site: Site | None = None,
) -> TrainingPlan:
    known: Sequence[Dataset] = datasets or (dataset(),)
    return plan_training(
        train, architecture=architecture, datasets=known, place=place, init_from=init_from, site=site
    )


def strategy(
    dp: int = 1, zero: Literal[0, 1, 2, 3] = 0, micro: int = 1, mode: Literal["none", "full"] = "none"
) -> Strategy:
    return Strategy(
        degrees=Degrees(dp=dp), zero_stage=zero, micro_batch_size=micro, recompute=Recompute(mode=mode)
    )


def test_a_plan_is_complete() -> None:
    found = plan(training(ranks=2))
    assert found.train.strategy == strategy(2, 0, 8)
    assert found.train.model is not None
    assert found.train.model.architecture == TINY
    assert parse_document(render_document(found.train), source="x", expect=Train) == found.train
    assert (found.ranks, found.device) == (2, "cpu")
    assert (found.tokens_per_step, found.total_tokens) == (16 * 256, 100 * 16 * 256)
    assert found.epochs == (pytest.approx(1600 / 3906),)
    assert found.checkpoint_bytes == 12 * 4_196_608
    assert found.disk_bytes == 4 * found.checkpoint_bytes
    assert found.memory == estimate_memory(found.train, TINY)
    assert found.reasons[:2] == (
        "dp 2: one rank per task",
        "micro_batch_size 8: the most that divides and fits, up to 8",
    )


def test_a_stated_strategy_stays() -> None:
    wish = training(ranks=2, strategy=strategy(2, 3, 2, "full"))
    assert plan(wish).train.strategy == wish.strategy


def test_epochs_follow_the_weights() -> None:
    wish = mixed(training(), ("code", 3.0), ("books", 1.0), ("unused", 0.0))
    found = plan(wish, dataset(), dataset("books", tokens=100_000), dataset("unused"))
    assert found.epochs == (pytest.approx(1200 / 3906), pytest.approx(400 / 390), 0)


def test_epochs_of_chats_and_pairs_count_documents() -> None:
    chats = plan(replace(training(), objective=Sft()), dataset(form="chat", documents=800))
    pairs = plan(replace(training(), objective=Dpo()), dataset(form="preference", documents=800))
    assert (chats.epochs, pairs.epochs) == ((2.0,), (4.0,))


def test_accelerators_bear_one_rank_each() -> None:
    wish = training(gpus=8, batch=64, precision="bf16", length=4096)
    found = plan(wish, dataset(), architecture=LLAMA, place=NODES)
    assert (found.ranks, found.device) == (8, "cuda")
    assert found.train.strategy is not None
    assert (
        found.train.strategy.zero_stage >= 2
    )  # 16 bytes for each of 8 billion parameters never fit into 80 GiB
    assert found.memory.device <= 80 * GIB
    assert "dp 8: one rank per accelerator" in found.reasons
    assert any("whole copies on every rank would not fit" in reason for reason in found.reasons)


@settings(deadline=None)
@given(
    st.sampled_from(["tiny-llama", "ogai-50m", "llama-3.2-1b", "llama-3.1-8b"]),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(1, 12),
    st.sampled_from([128, 1024, 8192]),
)
def test_what_is_planned_fits_or_is_refused(name: str, gpus: int, per_rank: int, length: int) -> None:
    wish = training(gpus=gpus, batch=gpus * per_rank, precision="bf16", length=length)
    try:
        found = plan(wish, dataset(), architecture=preset(name), place=NODES)
    except UnsatisfiableError as error:
        assert name == "llama-3.1-8b"
        assert "memory" in error.where
        return
    chosen = found.train.strategy
    assert chosen is not None
    assert per_rank % chosen.micro_batch_size == 0
    assert chosen.micro_batch_size <= 8
    assert found.memory.device <= H100.memory_bytes


# A training, its data sets, its model, and the fault with the nearest legal value that a person is told.
FAULTY = [
    (
        "a batch that copies do not divide",
        training(ranks=3),
        [dataset()],
        TINY,
        "data.global_batch_size: found global_batch_size 16 = 3 × 5 + 1",
        "nearest: 15 or 18",
    ),
    (
        "a batch that micro batches do not divide",
        training(ranks=2, strategy=strategy(2, micro=3)),
        [dataset()],
        TINY,
        "data.global_batch_size: found global_batch_size 16 = 6 × 2 + 4",
        "nearest: 12 or 18",
    ),
    (
        "a vocabulary larger than the model's",
        training(),
        [dataset(vocab_size=5000)],
        TINY,
        "data.mixture[0].dataset: found `code` with 5000 tokens for a model of vocab_size 4096",
        "nearest: a model of `vocab_size: 5000`",
    ),
    (
        "two tokenizers",
        mixed(training(), ("code", 1.0), ("books", 1.0)),
        [dataset(), dataset("books", tokenizer="b")],
        TINY,
        "data.mixture[1].dataset: found `books`, tokenised by `bpe` (bbbbbbbbbbbb); expected the tokenizer of `code`",
        "prepare both with one tokenizer",
    ),
    (
        "a sequence beyond the table of positions",
        training(length=4096),
        [dataset()],
        preset("opt-175b"),
        "data.sequence_length: found 4096 tokens for a table of 2048 positions",
        "nearest: `sequence_length: 2048`",
    ),
    (
        "data shorter than a sequence",
        training(),
        [dataset(tokens=256)],
        TINY,
        "data.mixture[0].dataset: found `code` of 256 tokens; expected more than sequence_length 256",
        "nearest: `sequence_length: 255`",
    ),
    (
        "text for answers",
        replace(training(), objective=Sft()),
        [dataset()],
        TINY,
        "data.mixture[0].dataset: found `code`, which is text; expected a data set of the format `chat`",
        "objective: {type: pretrain}",
    ),
    (
        "chats for preferences",
        replace(training(), objective=Dpo()),
        [dataset(form="chat")],
        TINY,
        "found `code`, which is chat; expected a data set of the format `preference`",
        "objective: {type: sft}",
    ),
    (
        "pairs for pre-training",
        training(),
        [dataset(form="preference")],
        TINY,
        "expected a data set of the format `text`",
        "objective: {type: dpo}",
    ),
    (
        "a degree that the trainer does not have",
        training(ranks=2, strategy=Strategy(degrees=Degrees(tp=2))),
        [dataset()],
        TINY,
        "strategy.degrees.tp: found tp 2; expected tp 1: the trainer of ogai shards over dp only",
        "`megatron`",
    ),
    (
        "a model that nobody can build",
        training(),
        [dataset()],
        replace(TINY, model_type="mamba"),
        "model: found the family `mamba`",
        "",
    ),
]


@pytest.mark.parametrize(
    ("train", "datasets", "architecture", "words", "hint"),
    [pytest.param(*rest, id=name) for name, *rest in FAULTY],
)
def test_a_wrong_document_is_refused_where_it_is_wrong(
    train: Train, datasets: list[Dataset], architecture: Architecture, words: str, hint: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        plan(train, *datasets, architecture=architecture)
    assert words in str(caught.value)
    assert hint in caught.value.hint
    assert caught.value.exit_code == 2


def test_all_faults_are_told_at_once() -> None:
    wish = mixed(training(ranks=3), ("code", 1.0), ("chats", 1.0))
    with pytest.raises(DocumentError) as caught:
        plan(wish, dataset(vocab_size=5000), dataset("chats", form="chat", tokenizer="b"))
    assert len(caught.value.faults) == 4


@pytest.mark.parametrize(
    ("field", "value"), [("vocab_size", 4000), ("hidden_size", 512), ("model_type", "mistral")]
)
def test_weights_of_another_model_are_refused(field: str, value: object) -> None:
    wish = replace(training(), model=TrainedModel(architecture=TINY, init_from="base"))
    with pytest.raises(DocumentError) as caught:
        plan(wish, init_from=replace(TINY, **{field: value}))
    assert f"{field} {value} in init_from" in str(caught.value)
    assert "leave `architecture` out" in caught.value.hint


SMALL = replace(training(), resources=Resources(memory_bytes_per_node=2 * GIB))
BIG_BATCH = replace(SMALL, strategy=strategy(micro=16), data=replace(SMALL.data, sequence_length=2048))
OLD = AcceleratorSize(vendor="nvidia", model="Tesla V100-SXM2-32GB", memory_bytes=32 * GIB)
ONE_GPU = training(gpus=1, batch=8, precision="bf16", strategy=strategy())
TWO_RANKS = training(ranks=2, strategy=strategy(2, micro=8))

# A training, its model, its place, and what a person is told: the term, and the nearest that can be had.
UNSATISFIABLE = [
    (
        "a micro batch too large",
        BIG_BATCH,
        TINY,
        LAPTOP,
        "resources.memory_bytes_per_node: found a need of",
        "most of it activations",
        "with `micro_batch_size:",
    ),
    (
        "whole copies too large",
        training(gpus=8, batch=8, precision="bf16", strategy=strategy(8)),
        LLAMA,
        NODES,
        "memory of each accelerator",
        "most of it optimizer: 59.8 GiB a rank",
        "with `zero_stage: 2` it fits",
    ),
    (
        "activations too large whatever is sharded",
        training(gpus=8, batch=8, length=32768, precision="bf16", strategy=strategy(8, 3)),
        LLAMA,
        NODES,
        "memory of each accelerator",
        "most of it activations",
        "with `recompute: {mode: full}` it fits",
    ),
    (
        "too large for a node, not for several",
        training(gpus=8, batch=64, precision="bf16"),
        preset("llama-3.1-70b"),
        NODES,
        "memory of each accelerator",
        "most of it",
        "and `nodes: 4` it fits",
    ),
    (
        "too large for the nodes that are there",
        training(gpus=8, batch=64, precision="bf16"),
        preset("llama-3.1-70b"),
        dataclasses.replace(NODES, nodes=2),
        "memory of each accelerator",
        "most of it",
        "no strategy of this trainer fits",
    ),
    (
        "too large for anything",
        training(gpus=1, batch=1, precision="bf16"),
        preset("gpt-3-175b"),
        NODES,
        "memory of each accelerator",
        "most of it optimizer",
        "choose a smaller model",
    ),
    (
        "copies for checkpoints too large for the host",
        training(gpus=8, batch=8, precision="bf16"),
        LLAMA,
        Place(nodes=1, cpus=96, memory_bytes=64 * GIB, accelerators=(H100,) * 8, disk_free_bytes=9999 * GIB),
        "memory of each host",
        "staging",
        "",
    ),
    (
        "too many nodes",
        replace(training(batch=32), resources=Resources(nodes=2)),
        TINY,
        LAPTOP,
        "resources.nodes: found 2; expected at most 1 node",
        "",
        "nearest: `nodes: 1`",
    ),
    (
        "accelerators that are not there",
        ONE_GPU,
        TINY,
        LAPTOP,
        "resources.gpus_per_node: found 1; expected at most 0 accelerators on a node",
        "",
        "nearest: `gpus_per_node: 0`",
    ),
    (
        "too many processors",
        replace(training(), resources=Resources(tasks_per_node=4, cpus_per_task=4)),
        TINY,
        LAPTOP,
        "resources.tasks_per_node: found tasks_per_node 4 · cpus_per_task 4 = 16; expected at most 8 CPUs",
        "",
        "nearest: `tasks_per_node: 2`",
    ),
    (
        "more memory than a node has",
        replace(training(), resources=Resources(memory_bytes_per_node=32 * GIB)),
        TINY,
        LAPTOP,
        "resources.memory_bytes_per_node: found 32 GiB; expected at most 16 GiB",
        "",
        f"nearest: `memory_bytes_per_node: {16 * GIB}`",
    ),
    (
        "a precision that the device does not have",
        ONE_GPU,
        TINY,
        Place(nodes=1, cpus=8, memory_bytes=64 * GIB, accelerators=(OLD,), disk_free_bytes=99 * GIB),
        "compute.precision: found `bf16` on Tesla V100-SXM2-32GB",
        "",
        "nearest: `precision: fp32`",
    ),
    (
        "a disk too small",
        training(),
        TINY,
        Place(nodes=1, cpus=8, memory_bytes=16 * GIB, disk_free_bytes=160 * 2**20),
        "disk of the run directory: found 160 MiB free: the disk is too small; expected 192 MiB: 4 checkpoints",
        "",
        "nearest: `keep_last: 2`",
    ),
    (
        "a disk too small for one",
        training(),
        TINY,
        Place(nodes=1, cpus=8, memory_bytes=16 * GIB, disk_free_bytes=60 * 2**20),
        "disk of the run directory: found 60 MiB free",
        "",
        "free 192 MiB, or name another directory",
    ),
    (
        "a budget too small",
        replace(
            training(), checkpoint=Checkpointing(every_steps=10, keep_every_steps=50, max_bytes=150 * 2**20)
        ),
        TINY,
        LAPTOP,
        "checkpoint.max_bytes: found 150 MiB allowed; expected 288 MiB: 6 checkpoints",
        "",
        "nearest: `max_bytes: 302155776`",
    ),
    (
        "another framework",
        replace(training(), framework="megatron"),
        TINY,
        LAPTOP,
        "framework: found `megatron`",
        "",
        "without a plan",
    ),
]


@pytest.mark.parametrize(
    ("train", "architecture", "place", "words", "term", "hint"),
    [pytest.param(*rest, id=name) for name, *rest in UNSATISFIABLE],
)
def test_what_cannot_be_had_is_refused_with_the_nearest(
    train: Train, architecture: Architecture, place: Place, words: str, term: str, hint: str
) -> None:
    with pytest.raises(UnsatisfiableError) as caught:
        plan(train, dataset(), architecture=architecture, place=place)
    assert words in str(caught.value)
    assert term in str(caught.value)
    assert hint in caught.value.hint
    assert caught.value.exit_code == 3


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from([0, 1, 2, 3]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 4, 16]),
    st.integers(1, 100),
)
def test_the_remedy_named_for_memory_is_accepted(
    zero: Literal[0, 1, 2, 3], dp: int, micro: int, gib: int
) -> None:
    place = Place(nodes=1, cpus=8, memory_bytes=gib * GIB, disk_free_bytes=999 * GIB)
    wish = training(ranks=dp, batch=64, length=1024, strategy=strategy(dp, zero, micro))
    try:
        plan(wish, architecture=preset("llama-3.2-1b"), place=place)
    except OgaiError as error:
        words = error.hint
        if "it fits" not in words or "nodes" in words:
            return
        assert wish.strategy is not None
        mended = wish.strategy
        for word in words.split("`")[1::2]:
            key, value = word.split(": ", 1)
            mended = replace(mended, **{key: Recompute(mode="full") if key == "recompute" else int(value)})
        assert plan(replace(wish, strategy=mended), architecture=preset("llama-3.2-1b"), place=place)


def test_the_example_can_be_planned() -> None:
    example = Path(__file__).parents[3] / "examples/documents/train_tiny_llama.yaml"
    found = plan(read_document(example, expect=Train), dataset("python-stdlib"))
    assert (found.ranks, found.total_tokens) == (2, 400 * 16 * 256)


def test_an_adapter_needs_little_disk() -> None:
    wish = replace(training(), model=TrainedModel(architecture=TINY, init_from="base", lora=Lora(r=4)))
    found = plan(wish, init_from=TINY)
    assert found.trained_parameters == 4 * 4 * (256 + 256 + 256 + 128)
    assert found.checkpoint_bytes == 12 * found.trained_parameters


def test_what_is_legal_but_worth_knowing_is_said() -> None:
    wish = training(length=1024, precision="bf16")
    found = plan(wish, dataset(validation=False, vocab_size=4000))
    said = "\n".join(found.reasons)
    assert "sequence_length 1024 is beyond the 512 positions" in said
    assert "a CPU with AMX or AVX512-BF16" in said
    assert "no validation loss" in said
    assert "96 tokens of the model's vocabulary never occur" in said


def test_an_interval_that_is_measured_is_told() -> None:
    asked = replace(training(), checkpoint=Checkpointing(interval="auto", every_steps=7))
    assert any("interval `auto`: from the time that saves take" in reason for reason in plan(asked).reasons)
    assert not any("auto" in reason for reason in plan(training()).reasons)


def adapter(*targets: str) -> Train:
    model = TrainedModel(architecture=TINY, init_from="/weights", lora=Lora(target_modules=targets))
    return replace(training(), model=model)


def test_an_adapter_to_modules_that_are_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(DocumentError) as caught:
        plan(adapter("v_proj", "q_prj"), init_from=TINY)
    (fault,) = caught.value.faults
    assert fault.path == ("model", "lora", "target_modules", 1)
    assert fault.hint == "nearest: `q_proj`"


@pytest.mark.parametrize(
    "target", ["down_proj", "self_attn.o_proj", "model.layers.0.self_attn.q_proj", "lm_head"]
)
def test_an_adapter_may_name_its_modules_with_those_above(target: str) -> None:
    assert plan(adapter(target), init_from=TINY).train.model is not None


def h100_site(devices: int = 8) -> Site:
    device = next(one for one in load_devices() if one.name == "h100-sxm-80")
    machine = Machine(name="here", device=device.name, nodes=1, devices_per_node=devices)
    return Site(machine=machine, device=device, calibration=Calibration(name="test"))


def test_where_seconds_are_known_the_quickest_strategy_that_fits_is_taken() -> None:
    """Every way that fits, tried by hand, takes longer."""
    wish = training(gpus=8, batch=64, length=4096, precision="bf16", architecture=LLAMA)
    known = dataset(vocab_size=128256)
    found = plan(wish, known, architecture=LLAMA, place=NODES, site=h100_site())
    assert found.step_s is not None
    assert "the quickest of" in found.reasons[1] and "`h100-sxm-80`" in found.reasons[1]
    fitting = 0
    for zero, mode in ((0, "none"), (2, "none"), (3, "none"), (3, "full")):
        for micro in (1, 2, 4, 8):
            tried = replace(wish, strategy=strategy(8, zero, micro, mode))
            if judge_fit(tried, LLAMA, NODES).fits:
                fitting += 1
                other = plan(tried, known, architecture=LLAMA, place=NODES, site=h100_site())
                assert other.step_s is not None and found.step_s <= other.step_s
    assert f"of {fitting} strategies" in found.reasons[1]
    assert plan(wish, known, architecture=LLAMA, place=NODES).step_s is None


def test_seconds_are_not_told_of_what_the_cost_model_does_not_know() -> None:
    site, known = h100_site(1), dataset()
    assert plan(training(gpus=1, precision="bf16"), known, place=NODES, site=site).step_s is not None
    adapter = training(gpus=1, precision="bf16")
    assert adapter.model is not None
    lora = replace(adapter, model=replace(adapter.model, init_from="weights", lora=Lora()))
    assert plan(lora, known, place=NODES, site=site, init_from=TINY).step_s is None
    bare = Site(machine=site.machine, device=replace(site.device, peak=()), calibration=site.calibration)
    assert plan(training(gpus=1, precision="bf16"), known, place=NODES, site=bare).step_s is None
