import pytest

from l0_infra.core.errors import DocumentError
from l3_modeltools.architectures import count_parameters, preset
from l3_modeltools.frameworks.translate import Exported, export_strategy, import_strategy
from l3_modeltools.frameworks.translate.megatron.layout import parse_layout, write_layout
from l3_modeltools.schemas import (
    Architecture,
    Degrees,
    Pipeline,
    Recompute,
    Strategy,
    Workload,
    layers_by_stage,
)

BIG = preset("llama-3.1-405b")
SMALL = preset("llama-3.1-8b")
DEEPSEEK = preset("deepseek-v3")


def export(strategy: Strategy, architecture: Architecture) -> Exported:
    return export_strategy(strategy, "megatron", architecture)


def after(exported: Exported, name: str) -> str:
    return exported.argv[exported.argv.index(name) + 1]


def test_llama_405b_is_cut_as_its_paper_says() -> None:
    """126 layers on 16 stages, one fewer on the first and last (arXiv:2407.21783, section 3.3.2)."""
    offset = ((0, *(1,) * 14, 0),)
    strategy = Strategy(degrees=Degrees(dp=128, tp=8, pp=16), pipeline=Pipeline(offset=offset), zero_stage=1)
    assert layers_by_stage(strategy, BIG.layers) == ((7, *(8,) * 14, 7),)
    exported = export(strategy, BIG)
    assert after(exported, "--decoder-first-pipeline-num-layers") == "7"
    assert after(exported, "--decoder-last-pipeline-num-layers") == "7"
    assert "--use-distributed-optimizer" in exported.argv
    assert (exported.ranks, exported.losses) == (16_384, ())
    found = import_strategy(exported.argv, world_size=16_384)
    assert (found.framework, found.strategy.pipeline.offset) == ("megatron", offset)


def test_counting_embedding_and_loss_as_layers_is_the_same_cut() -> None:
    argv = [
        "--num-layers",
        "126",
        "--pipeline-model-parallel-size",
        "16",
        "--account-for-embedding-in-pipeline-split",
    ]
    found = import_strategy([*argv, "--account-for-loss-in-pipeline-split"], "megatron").strategy
    assert found.pipeline.offset == ((0, *(1,) * 14, 0),)


def test_other_stages_take_a_layout() -> None:
    strategy = Strategy(degrees=Degrees(pp=4), pipeline=Pipeline(offset=((0, 1, -1, 0),)))
    exported = export(strategy, SMALL)
    assert after(exported, "--pipeline-model-parallel-layout") == "Et*8|t*9|t*7|t*8L"
    assert not exported.losses


def test_further_layers_are_placed_by_the_layout_or_lie_on_the_last_stage() -> None:
    argv = (
        "--num-layers 61 --mtp-num-layers 1 --pipeline-model-parallel-size 8 --pipeline-model-parallel-layout"
    )
    found = import_strategy(
        [*argv.split(), "Et*3|(tt|)*29,m|L"], "megatron", architecture=DEEPSEEK, world_size=8
    )
    assert found.strategy.degrees.vp == 4
    assert layers_by_stage(found.strategy, 62)[-1] == (2, 2, 2, 2, 2, 2, 1, 1)
    assert [loss.path for loss in found.losses] == ["--pipeline-model-parallel-layout"]


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Et*3|(tt|)*2,m|L", [3, 2, 2, 1, 0]),
        ("E|(t|)*3,m|m||L", [0, 1, 1, 1, 1, 1, 0, 0]),
        ("EttL", [2]),
    ],
)
def test_a_layout_is_read_as_its_grammar_says(text: str, held: list[int]) -> None:
    assert parse_layout(text) == held


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Et|xL", "`x` is neither"),
        ("t|tL", "must begin"),
        ("Et|t", "end with"),
        ("(" + "t" * 99 + ")*99999L", "repeats too much"),
    ],
)
def test_a_layout_that_is_none_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_layout(text)


def test_a_layout_is_written_short_and_read_back() -> None:
    held = [3, *[4] * 20, 0, 2]
    assert write_layout(held, 1) == "Et*3|(t*4|)*20|t*2mL"
    assert parse_layout("Et*3|(t*4|)*20|t*2mL") == [*held[:-1], 3]


def test_recomputation_by_stage_becomes_the_most_of_any_stage() -> None:
    recompute = Recompute(mode="full", layers=((8, 4, 2, 0),))
    exported = export(Strategy(degrees=Degrees(pp=4), recompute=recompute), SMALL)
    assert after(exported, "--recompute-method") == "block"
    assert after(exported, "--recompute-num-layers") == "8"
    assert [loss.path for loss in exported.losses] == ["recompute.layers"]
    assert exported.losses[0].lost == "[[8, 4, 2, 0]]"
    assert "null: `block`" in exported.losses[0].instead
    same = export(
        Strategy(degrees=Degrees(pp=4), recompute=Recompute(mode="full", layers=((3,) * 4,))), SMALL
    )
    assert (after(same, "--recompute-num-layers"), same.losses) == ("3", ())


@pytest.mark.parametrize(
    ("argv", "zero"),
    [
        ("--use-distributed-optimizer", 1),
        ("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads", 2),
        ("--use-megatron-fsdp", 3),
        ("--use-torch-fsdp2 --torch-fsdp2-no-reshard-after-forward", 2),
        ("", 0),
    ],
)
def test_sharding_is_read_as_zero_stages(argv: str, zero: int) -> None:
    assert import_strategy(argv.split(), "megatron").strategy.zero_stage == zero


def test_the_launcher_says_how_many_copies_there_are() -> None:
    argv = "torchrun --nnodes 4 --nproc-per-node=8 pretrain_gpt.py --tensor-model-parallel-size 8 --bf16 --lr 1e-4"
    found = import_strategy(argv.split())
    assert found.strategy.degrees == Degrees(dp=4, tp=8)
    assert "--lr" in found.unknown and not found.losses
    assert found.practice.weights == "bf16"
    untold = import_strategy(["--tensor-model-parallel-size", "8"])
    assert [loss.path for loss in untold.losses] == ["WORLD_SIZE"]


def test_arguments_that_cannot_be_meant_are_counted() -> None:
    argv = ["--num-layers", "30", "--pipeline-model-parallel-size", "4", "--micro-batch-size", "none-at-all"]
    with pytest.raises(DocumentError) as caught:
        import_strategy(argv, "megatron")
    assert "argument 5: found `--micro-batch-size` none-at-all; expected a whole number" in str(caught.value)
    assert "argument 3:" in str(caught.value) and "30 layers left" in str(caught.value)
    with pytest.raises(DocumentError, match="argument 1: found `--num-layers` without a value"):
        import_strategy(["--num-layers", "--bf16"], "megatron")


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (
            ["--pipeline-model-parallel-size", "999999999"],
            "argument 1.*: found pp 999999999; expected at most",
        ),
        (
            ["--num-layers", "8", "--mtp-num-layers", "many", "--pipeline-model-parallel-layout", "Et*8L"],
            "argument 3: found `--mtp-num-layers` many; expected a whole number",
        ),
        (["--num-layers", "999999999"], "found 999999999 layers; expected from 1 to 10,000"),
        (
            ["--pipeline-model-parallel-size", "2000", "--num-virtual-stages-per-pipeline-rank", "2000"],
            "found pp 2000 · vp 2000 = 4000000 stages; expected at most 10,000",
        ),
        (
            ["--vocab-size", "9" * 400],
            "argument 1: found `--vocab-size` 9+; expected .* at most 1,000,000,000",
        ),
        (
            ["--num-layers", "8", "--recompute-method", "uniform", "--recompute-num-layers", "1", "2"],
            r"argument 5: found `--recompute-num-layers` \[1, 2\]; expected a whole number",
        ),
        (
            [
                "--pipeline-model-parallel-layout",
                "Et*9|t*65536|t*9|t*9L",
                "--pipeline-model-parallel-size",
                "4",
            ],
            "expected whole numbers of at least -10000",
        ),
    ],
)
def test_arguments_out_of_all_bounds_are_refused(argv: list[str], told: str) -> None:
    with pytest.raises(DocumentError, match=told):
        import_strategy(argv, "megatron", world_size=4)


def test_what_megatron_pads_is_seen() -> None:
    workload = Workload(architecture=preset("gpt-3-175b"), sequence_length=2048, global_batch_size=8)
    strategy = Strategy(degrees=Degrees(tp=8), padded_vocab_size=51200, workload=workload)
    exported = export_strategy(strategy, "megatron")
    assert after(exported, "--make-vocab-size-divisible-by") == "6400"
    assert not exported.losses
    argv = ["--vocab-size", "50257", "--tensor-model-parallel-size", "8"]
    assert import_strategy(argv, "megatron").strategy.padded_vocab_size == 51200


def test_the_model_is_known_by_its_sizes() -> None:
    sizes = "--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --num-query-groups 8"
    further = "--vocab-size 128256 --max-position-embeddings 8192 --position-embedding-type rope --swiglu"
    plain = "--normalization RMSNorm --disable-bias-linear --untie-embeddings-and-output-weights --seq-length 8192"
    argv = f"{sizes} {further} {plain} --global-batch-size 8 --micro-batch-size 1".split()
    found = import_strategy(argv, world_size=8)
    assert found.architecture and count_parameters(found.architecture) == count_parameters(SMALL)
    assert found.strategy.workload
    assert import_strategy([*argv, "--num-experts", "8"], world_size=8).architecture is None
