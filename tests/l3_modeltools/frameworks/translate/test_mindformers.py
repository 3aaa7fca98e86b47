from pathlib import Path

import msgspec
import pytest
import yaml

from l0_infra.core.errors import DocumentError, UnsatisfiableError
from l3_modeltools.architectures import count_parameters, preset
from l3_modeltools.frameworks.translate import export_strategy, import_strategy
from l3_modeltools.schemas import Degrees, Pipeline, Recompute, Strategy, Workload, layers_by_stage

CASES = yaml.safe_load((Path(__file__).parents[3] / "cases/translate/mindformers.yaml").read_text())

GRAPH = """
runner_config: {batch_size: 2}
parallel_config: {data_parallel: 4, model_parallel: 2, pipeline_stage: 2, micro_batch_num: 6}
micro_batch_interleave_num: 3
model: {model_config: {num_layers: 5, offset: [0, 1]}}
"""

DYNAMIC = """
training: {local_batch_size: 2, global_batch_size: 64}
parallelism:
  data_parallel_shard: -1
  tensor_parallel: 2
  sequence_parallel: true
  pipeline_parallel: 2
  pipeline_parallel_interleave_num: 2
  pipeline_parallel_layers_per_stage: ["0-1,5-6", "2-4,7"]
recompute: {mode: full, full_recompute_layer: ["0", "5-8"]}
model: {num_hidden_layers: 8, num_nextn_predict_layers: 1, seq_length: 4096}
"""


@pytest.mark.parametrize("name", CASES)
def test_a_public_configuration_comes_in_as_it_is_meant(name: str) -> None:
    case = CASES[name]
    found = import_strategy(yaml.safe_dump(case["config"]), source=name)
    assert found.framework == "mindformers"
    strategy = found.strategy
    assert strategy.degrees == msgspec.convert(case["degrees"], Degrees)
    assert strategy.pipeline.offset == tuple(map(tuple, case["offset"]))
    assert found.layers
    assert layers_by_stage(strategy, found.layers) == tuple(map(tuple, case["stages"]))
    assert strategy.recompute == msgspec.convert(case["recompute"], Recompute)
    assert strategy.zero_stage == case["zero_stage"]
    assert found.global_batch_size == case["batch"]
    assert sorted(loss.path for loss in found.losses) == sorted(case["lost"])
    assert found.strategy.vocab_parallel is case.get("vocab_parallel", found.strategy.vocab_parallel)
    assert not found.unknown


def test_anchors_are_followed() -> None:
    text = (Path(__file__).parents[3] / "cases/translate/mindformers.yaml").read_text()
    assert "&dp 16" in text
    assert import_strategy(
        "parallel_config: {data_parallel: &dp 4, model_parallel: *dp}"
    ).strategy.degrees == Degrees(dp=4, tp=4)


def test_copies_of_a_micro_batch_multiply_the_batch_and_lie_in_memory_together() -> None:
    found = import_strategy(GRAPH)
    assert found.global_batch_size == 2 * 4 * 6 * 3
    assert found.strategy.micro_batch_size == 6
    assert [loss.path for loss in found.losses] == ["micro_batch_interleave_num"]


def test_one_number_is_an_offset_for_all_and_counts_only_with_interleaving() -> None:
    config = "parallel_config: {pipeline_stage: 2, micro_batch_num: 2}\nmodel: {model_config: {num_layers: 8, offset: 0"
    assert import_strategy(config + ", pp_interleave_num: 2}}").strategy.degrees.vp == 1
    interleaved = (
        config + ", pp_interleave_num: 2}}\nparallel: {pipeline_config: {pipeline_interleave: true}}"
    )
    found = import_strategy(interleaved).strategy
    assert (found.degrees.vp, found.pipeline.schedule, found.pipeline.offset) == (2, "interleaved", None)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            GRAPH.replace("[0, 1]", "[1, 1]"),
            "x.yaml:5:47: found an offset whose sum is 2; expected a sum of 1",
        ),
        (GRAPH.replace("[0, 1]", "[0, 1, 0]"), "found 1 rows of 3 numbers; expected 1 of 2 numbers"),
        (GRAPH.replace("micro_batch_num: 6", "micro_batch_num: 1"), "expected at least pipeline_stage 2"),
        (
            GRAPH.replace("data_parallel: 4", "data_parallel: four"),
            "x.yaml:3:34: found `parallel_config.data_parallel`",
        ),
        (GRAPH.replace("model_parallel: 2", "model_parallel: 0"), "expected a whole number of 1 or more"),
        (DYNAMIC.replace('"2-4,7"', '"2-4"'), "expected 2 ranks of 2 ranges"),
        (DYNAMIC.replace('"2-4,7"', '"4-2,7"'), "expected a range of layers for each virtual stage"),
        ("parallelism: {pipeline_parallel: 3}\nmodel: {num_hidden_layers: 8}", "found 8 layers for pp 3"),
        ("parallelism: {a: [", "expected YAML or JSON"),
    ],
)
def test_what_cannot_be_meant_is_told_at_its_line(config: str, said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        import_strategy(config, source="x.yaml")
    assert said in str(caught.value)


def test_the_dynamic_graph_says_layers_by_rank_and_puts_further_ones_last() -> None:
    found = import_strategy(DYNAMIC, world_size=16)
    strategy = found.strategy
    assert found.framework == "mindformers-2"
    assert strategy.degrees == Degrees(dp=4, tp=2, pp=2, vp=2, sequence_parallel=True)
    assert found.layers == 9
    assert layers_by_stage(strategy, 9) == ((2, 3), (2, 2))
    assert strategy.recompute == Recompute(mode="full", layers=((1, 0), (2, 2)))
    assert (strategy.zero_stage, found.losses) == (2, ())


def test_layers_that_are_not_the_first_of_a_stage_are_counted_and_named_lost() -> None:
    found = import_strategy(DYNAMIC.replace('"0", "5-8"', '"1", "5-8"'), world_size=16)
    assert found.strategy.recompute.layers == ((1, 0), (2, 2))
    assert [loss.path for loss in found.losses] == ["recompute.full_recompute_layer"]


def test_a_batch_of_fewer_micro_batches_than_stages_is_refused_by_graph_mode() -> None:
    workload = Workload(architecture=preset("llama-3.1-8b"), sequence_length=4096, global_batch_size=4)
    with pytest.raises(UnsatisfiableError, match="found pp 8 with 4 micro batches"):
        export_strategy(Strategy(degrees=Degrees(pp=8), workload=workload), "mindformers")


def test_graph_mode_takes_recomputation_of_each_stage_and_offsets_as_they_are() -> None:
    strategy = Strategy(
        degrees=Degrees(pp=2, vp=2),
        pipeline=Pipeline(schedule="interleaved", offset=((1, 0), (0, -1))),
        recompute=Recompute(
            mode="full",
            layers=((1, 2), (0, 3)),
            selective_layers=((2, 0), (1, 0)),
            gathering_layers=((1, 1), (0, 0)),
        ),
        workload=Workload(architecture=preset("llama-3.1-8b"), sequence_length=4096, global_batch_size=4),
    )
    exported = export_strategy(strategy, "mindformers")
    config = yaml.safe_load(exported.files["parallel.yaml"])
    assert config["model"]["model_config"]["offset"] == [[1, 0], [0, -1]]
    assert config["recompute_config"] == {
        "recompute": [[1, 2], [0, 3]],
        "select_recompute": [[3, 2], [1, 3]],
        "select_comm_recompute": [[2, 3], [0, 3]],
    }
    assert not exported.losses


LATER = """
parallel_config: {data_parallel: 4, pipeline_stage: 8, micro_batch_num: 32}
parallel: {pipeline_config: {pipeline_interleave: true}}
model:
  model_config:
    num_hidden_layers: 61
    num_nextn_predict_layers: 1
    pp_interleave_num: 2
    offset: [[1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, -2]]
"""


def test_later_graph_mode_deals_decoder_layers_and_puts_further_ones_last() -> None:
    """mindspore-ai/mindformers@167a50d configs/deepseek3/pretrain_deepseek3_671b.yaml: 61 of 16 stages leave 13."""
    found = import_strategy(LATER)
    assert found.layers == 62
    assert layers_by_stage(found.strategy, 62) == ((4,) * 8, (4,) * 7 + (2,))
    with pytest.raises(DocumentError, match="a sum of 14: 62 layers"):
        import_strategy(LATER.replace("num_hidden_layers", "num_layers"))


def test_the_model_is_known_by_its_sizes() -> None:
    sizes = "hidden_size: 4096, intermediate_size: 11008, num_heads: 32, vocab_size: 32000, num_layers: 32"
    cut = "runner_config: {batch_size: 1}\nparallel_config: {data_parallel: 8}"
    config = f"{cut}\nmodel: {{model_config: {{{sizes}"
    found = import_strategy(config + ", seq_length: 4096}}")
    assert found.architecture and count_parameters(found.architecture).total == 6_738_415_616
    assert found.strategy.workload and found.strategy.workload.global_batch_size == 8
    assert import_strategy(config + ", seq_length: 4096}}\nmoe_config: {expert_num: 8}").architecture is None
