"""Idle gradients: what kernels that add to fp32 sums give to a framework that expects a gradient of each weight."""

from l3_modeltools.planning.cost.bytes.parameters import cut_parameters
from l3_modeltools.planning.cost.bytes.place import Stage
from l3_modeltools.planning.cost.bytes.tensors import HALF
from l3_modeltools.planning.cost.setting import Setting

__all__ = ["spare_bytes"]


def spare_bytes(setting: Setting, stage: Stage) -> int:
    """A 16-bit gradient of each shape of matrix, of which a layer has one each, and of the output while it is done.

    TransformerEngine since 2.3 (transformer_engine/pytorch/module/base.py, get_dummy_wgrad); of the output Megatron-LM
    (megatron/core/tensor_parallel/layers.py).
    """
    if not setting.practice.kept.spare_gradients:
        return 0
    cut = cut_parameters(setting)
    return HALF * (cut.largest(stage) + cut.output * stage.last)
