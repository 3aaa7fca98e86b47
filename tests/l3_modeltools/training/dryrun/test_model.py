"""The model that a dry run builds is the model: it computes what transformers computes of the same weights."""

import pytest
import torch

from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import Kept, Practice, Recompute, Strategy
from tests.support.tiny_models import FAMILIES
from tests.support.whole_models import BATCH, LENGTH, cut, gradient_error, whole_model

FP32 = Practice(compute="fp32", weights="fp32", kept=Kept(stream="fp32"))
WAYS = {
    "fused": FP32,
    "kernel by kernel": Practice(compute="fp32", weights="fp32", fused_elementwise=False),
    "scores written": Practice(compute="fp32", weights="fp32", flash_attention=False),
    "scores written, kernel by kernel": Practice(
        compute="fp32", weights="fp32", flash_attention=False, fused_elementwise=False
    ),
    "fused loss": Practice(compute="fp32", weights="fp32", fused_loss=True),
    "fused loss in place": Practice(
        compute="fp32", weights="fp32", fused_loss=True, kept=Kept(logits_in_place=True)
    ),
    "loss in place": Practice(compute="fp32", weights="fp32", kept=Kept(logits_in_place=True)),
}


def setting_of(family: str, practice: Practice, **fields: object) -> Setting:
    return Setting(
        architecture=FAMILIES[family],
        strategy=Strategy(micro_batch_size=BATCH, **fields),  # type: ignore[arg-type]
        sequence_length=LENGTH,
        global_batch_size=BATCH,
        practice=practice,
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family", FAMILIES)
def test_loss_and_gradients_are_those_of_transformers(family: str, way: str) -> None:
    whole = whole_model(FAMILIES[family])
    built = cut(setting_of(family, WAYS[way]), whole)
    assert built.forward(0).item() == pytest.approx(whole.loss, rel=1e-5)
    built.backward(0)
    assert gradient_error(built, whole) < 1e-4


RECOMPUTED = {
    "whole layers": (FP32, Recompute(mode="full")),
    "one whole layer": (FP32, Recompute(mode="full", layers=((1,),))),
    "attention's core": (WAYS["scores written"], Recompute(mode="selective")),
    "every second product": (
        Practice(compute="fp32", weights="fp32", selective_keeps="every_second_product"),
        Recompute(mode="selective"),
    ),
    "activation": (
        Practice(compute="fp32", weights="fp32", selective_keeps="all_but_activation"),
        Recompute(mode="selective"),
    ),
}


@pytest.mark.parametrize("what", RECOMPUTED)
def test_what_is_computed_again_changes_nothing(what: str) -> None:
    practice, recompute = RECOMPUTED[what]
    whole = whole_model(FAMILIES["llama"])
    built = cut(setting_of("llama", practice, recompute=recompute), whole)
    assert built.forward(0).item() == pytest.approx(whole.loss, rel=1e-5)
    built.backward(0)
    assert gradient_error(built, whole) < 1e-4


def test_gradients_add_up_over_micro_batches() -> None:
    whole = whole_model(FAMILIES["llama"])
    built = cut(setting_of("llama", FP32), whole)
    for _ in range(2):
        built.forward(0)
    for _ in range(2):
        built.backward(0)
    with torch.no_grad():
        for weight in built.weights_of():
            assert weight.total is not None
            weight.total /= 2
    assert gradient_error(built, whole) < 1e-4
