import tomllib

import pytest

from l0_infra.core.errors import DocumentError
from l3_modeltools.architectures import preset
from l3_modeltools.frameworks.translate import export_strategy, import_strategy
from l3_modeltools.schemas import (
    Architecture,
    Degrees,
    Pipeline,
    Recompute,
    Strategy,
    Workload,
    layers_by_stage,
)

BIG, SMALL = preset("llama-3.1-405b"), preset("llama-3.1-8b")


def cut(architecture: Architecture, config: str) -> tuple[tuple[int, ...], ...]:
    found = import_strategy(config, architecture=architecture, world_size=128)
    return layers_by_stage(found.strategy, architecture.layers)


def test_one_layer_fewer_at_both_ends_is_its_default() -> None:
    assert cut(BIG, "[parallelism]\npipeline_parallel_degree = 16") == ((7, *(8,) * 14, 7),)
    even = "\npipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 0"
    assert cut(SMALL, "[parallelism]\npipeline_parallel_degree = 4" + even) == ((8,) * 4,)
    assert cut(SMALL, "[parallelism]\npipeline_parallel_degree = 4") == ((8, 9, 8, 7),)


def test_a_looped_schedule_has_two_stages_on_a_rank_unless_layers_of_a_stage_are_told() -> None:
    looped = '[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_schedule = "Interleaved1F1B"'
    assert cut(SMALL, looped) == ((4, 5, 4, 4), (4, 4, 4, 3))
    assert len(cut(SMALL, looped + "\npipeline_parallel_layers_per_stage = 3")) == 3
    with pytest.raises(DocumentError, match=r"x\.toml:4:1: found 7 stages"):
        import_strategy(
            looped + "\npipeline_parallel_layers_per_stage = 5",
            source="x.toml",
            architecture=SMALL,
            world_size=4,
        )


def test_even_stages_must_be_told_to_be_even() -> None:
    strategy = Strategy(degrees=Degrees(pp=4))
    config = tomllib.loads(export_strategy(strategy, "torchtitan-toml", SMALL).files["train.toml"])[
        "parallelism"
    ]
    assert config["pipeline_parallel_first_stage_less_layers"] == 0
    assert config["pipeline_parallel_last_stage_less_layers"] == 0


def test_other_stages_are_lists_of_modules() -> None:
    strategy = Strategy(degrees=Degrees(pp=4), pipeline=Pipeline(offset=((-4, 0, 0, 4),)))
    exported = export_strategy(strategy, "torchtitan-toml", SMALL)
    parts = tomllib.loads(exported.files["train.toml"])["parallelism"]["module_fqns_per_model_part"]
    assert parts[0] == ["tok_embeddings", "layers.0", "layers.1", "layers.2", "layers.3"]
    assert (parts[-1][0], parts[-1][-2:]) == ("layers.20", ["norm", "output"])
    assert "pipeline.offset" not in {loss.path for loss in exported.losses}


def test_there_is_no_zero_1() -> None:
    for framework in ("torchtitan", "torchtitan-toml"):
        losses = export_strategy(Strategy(degrees=Degrees(dp=8), zero_stage=1), framework).losses
        (loss,) = [loss for loss in losses if loss.path == "zero_stage"]
        assert loss.lost == "1" and loss.instead.startswith("2: torchtitan has no ZeRO 1")


@pytest.mark.parametrize(
    ("config", "zero", "dp"),
    [
        ("data_parallel_shard_degree = 8", 3, 8),
        ('data_parallel_shard_degree = 8\nfsdp_reshard_after_forward = "never"', 2, 8),
        ("data_parallel_shard_degree = 8\npipeline_parallel_degree = 2", 2, 8),
        ("data_parallel_shard_degree = 1\ndata_parallel_replicate_degree = 8", 0, 8),
        ("data_parallel_shard_degree = 4\ndata_parallel_replicate_degree = 2", 3, 8),
        ("tensor_parallel_degree = 4", 3, 32),
    ],
)
def test_sharding_is_read_as_zero_stages(config: str, zero: int, dp: int) -> None:
    found = import_strategy(f"[parallelism]\n{config}", world_size=128)
    assert (found.strategy.zero_stage, found.strategy.degrees.dp) == (zero, dp)
    hybrid = "parallelism.data_parallel_replicate_degree" in {loss.path for loss in found.losses}
    assert hybrid == ("shard_degree = 4" in config)


def test_the_command_line_counts_tokens() -> None:
    workload = Workload(architecture=SMALL, sequence_length=8192, global_batch_size=64)
    strategy = Strategy(degrees=Degrees(dp=4, pp=2), micro_batch_size=2, zero_stage=3, workload=workload)
    exported = export_strategy(strategy, "torchtitan")
    told = dict(zip(exported.argv[::2], exported.argv[1::2], strict=False))
    assert told["--training.num_tokens_per_microbatch_per_dp_rank"] == "16384"
    assert told["--training.num_tokens_per_train_step"] == str(64 * 8192)
    assert told["--parallelism.num_pp_microbatches"] == "8"
    assert exported.argv[-1] == "activation-checkpoint:none"
    found = import_strategy(exported.argv, architecture=SMALL)
    assert (found.framework, found.strategy) == ("torchtitan", strategy)


def test_every_nth_layer_is_counted_by_stage() -> None:
    config = "[activation_checkpoint]\nmode = 'selective'\nselective_ac_option = '2'\n[parallelism]\n"
    found = import_strategy(config, architecture=SMALL, world_size=1)
    assert found.strategy.recompute == Recompute(mode="full", layers=((16,),))
    assert [loss.path for loss in found.losses] == ["activation_checkpoint.selective_ac_option"]


def test_flags_may_be_negated_and_written_with_hyphens() -> None:
    argv = "--parallelism.tensor-parallel-degree=4 --parallelism.no-enable-sequence-parallel --metrics.log-freq 1"
    found = import_strategy(f"{argv} activation-checkpoint:full".split(), world_size=4)
    assert found.strategy.degrees == Degrees(tp=4)
    assert found.strategy.recompute.mode == "full"
    assert found.unknown == ("metrics.log_freq",)


def test_the_syntax_of_toml_is_told_by_its_line() -> None:
    with pytest.raises(DocumentError, match=r"x\.toml:2:"):
        import_strategy("[parallelism]\ntensor_parallel_degree = = 2", source="x.toml")
