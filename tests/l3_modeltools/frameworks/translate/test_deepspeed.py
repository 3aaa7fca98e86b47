import json

import pytest

from l0_infra.core.errors import DocumentError, UsageError
from l3_modeltools.architectures import preset
from l3_modeltools.frameworks.translate import export_strategy, import_strategy
from l3_modeltools.schemas import Degrees, Recompute, Strategy, Workload

SMALL = preset("llama-3.1-8b")

CONFIG = {
    "train_batch_size": 64,
    "train_micro_batch_size_per_gpu": 2,
    "gradient_accumulation_steps": 8,
    "zero_optimization": {"stage": 3, "overlap_comm": True, "offload_optimizer": {"device": "cpu"}},
    "bf16": {"enabled": True},
    "steps_per_print": 10,
}


def test_a_configuration_comes_in() -> None:
    found = import_strategy(json.dumps(CONFIG, indent="\t"))
    assert found.framework == "deepspeed"
    assert found.strategy == Strategy(degrees=Degrees(dp=4), zero_stage=3, micro_batch_size=2)
    assert found.global_batch_size == 64
    assert found.practice.compute == "bf16" and found.practice.overlap_dp
    assert [loss.path for loss in found.losses] == ["zero_optimization.offload_optimizer"]
    assert found.unknown == ("steps_per_print",)


def test_the_batch_is_inferred_from_two_of_three() -> None:
    known = {"gradient_accumulation_steps": 4, "train_batch_size": 64}
    found = import_strategy(json.dumps(known), world_size=8)
    assert (found.strategy.micro_batch_size, found.strategy.degrees.dp) == (2, 8)
    filled_in = dict.fromkeys(("train_batch_size", "train_micro_batch_size_per_gpu"), "auto")
    assert import_strategy(json.dumps(filled_in), world_size=8).strategy == Strategy(degrees=Degrees(dp=8))


def test_degrees_have_their_own_sections() -> None:
    workload = Workload(architecture=preset("deepseek-v3"), sequence_length=4096, global_batch_size=64)
    strategy = Strategy(degrees=Degrees(dp=4, tp=2, cp=2, ep=4), zero_stage=2, workload=workload)
    exported = export_strategy(strategy, "deepspeed")
    config = json.loads(exported.files["ds_config.json"])
    assert config["tensor_parallel"] == {"autotp_size": 2}
    assert config["expert_parallel"] == {"enabled": True, "autoep_size": 4}
    assert (config["sequence_parallel_size"], config["data_parallel_size"]) == (2, 4)
    assert config["gradient_accumulation_steps"] == 16
    assert [loss.path for loss in exported.losses] == ["workload.sequence_length"]


def test_recomputation_is_the_models_own_unless_there_is_a_pipeline() -> None:
    full = Recompute(mode="full")
    lost = export_strategy(Strategy(degrees=Degrees(dp=2), recompute=full), "deepspeed", SMALL).losses
    assert [loss.path for loss in lost] == ["recompute.mode"]
    kept = export_strategy(Strategy(degrees=Degrees(dp=2, pp=2), recompute=full), "deepspeed", SMALL)
    assert json.loads(kept.files["ds_config.json"])["pipeline"]["activation_checkpoint_interval"] == 1
    assert not kept.losses


def test_a_batch_that_does_not_multiply_is_told_at_its_line() -> None:
    wrong = json.dumps(CONFIG | {"train_batch_size": 63}, indent=2)
    with pytest.raises(
        DocumentError, match=r"ds\.json:2:\d+: found `train_batch_size` 63; expected a multiple"
    ):
        import_strategy(wrong, source="ds.json")


def test_nobodys_configuration_is_answered_with_how_to_say_whose_it_is() -> None:
    with pytest.raises(UsageError, match="nobody's configuration") as caught:
        import_strategy("name: my-model\nlayers: 3")
    assert "--from" in caught.value.hint
