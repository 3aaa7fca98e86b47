"""Buffers of what ranks exchange: weights being gathered, gradients being scattered, activations between stages."""

from l3_modeltools.planning.cost.bytes.parameters import Parameters, cut_parameters, stage_parameters
from l3_modeltools.planning.cost.bytes.place import Stage
from l3_modeltools.planning.cost.bytes.states import gathered_bytes, sharing_of
from l3_modeltools.planning.cost.bytes.tensors import rank_of
from l3_modeltools.planning.cost.setting import FORMAT_BYTES, Setting

__all__ = ["copy_traffic", "ending_bytes", "stage_traffic"]


def stage_traffic(setting: Setting, stage: Stage) -> tuple[int, int]:
    """What goes between stages: bytes whatever the schedule, and for each micro batch that a virtual stage keeps.

    One activation that comes and one that goes. torch.distributed.pipelining allots room for the gradients of all micro
    batches at once, keeps what a stage gave until its backward pass, and the logits of all micro batches until the
    step is over (torch/distributed/pipelining/stage.py).
    """
    if setting.strategy.degrees.pp == 1:
        return 0, 0
    rank = rank_of(setting)
    one = rank.slice * rank.architecture.hidden_size * rank.stream
    if not setting.practice.kept.stage_buffers:
        return 2 * one, 0
    batches, coming = setting.microbatches, len(stage.chunks) - stage.last
    logits = rank.tokens * setting.vocabulary // rank.tp * rank.product
    return batches * coming * one + (batches - 1) * logits * stage.last, one


def copy_traffic(setting: Setting, stage: Stage) -> int:
    """What goes between copies with ZeRO 2 and 3; ZeRO 0 and 1 work within the gradients' own buffers (Megatron-LM).

    One layer's gradients, before and as they are scattered. ZeRO 3 of FSDP2 (torch.distributed.fsdp.fully_shard) also
    has the ends' weights, which stay gathered, one layer's that are used and one's that arrive, and all of the largest
    group again, for they arrive in one piece; with a pipeline all stay gathered, and count as weights.
    """
    strategy, cut = setting.strategy, cut_parameters(setting)
    if strategy.zero_stage < 2 or sharing_of(setting).shared == 1:
        return 0
    each, layer = rank_of(setting).product, cut.largest(stage)
    scattered = layer * (FORMAT_BYTES[setting.practice.reduced] + each)
    if strategy.zero_stage == 2:
        return scattered
    ends, one = each * cut.ends(stage), gathered_bytes(setting, Parameters(layer))
    if strategy.degrees.pp > 1:
        return scattered + max(ends, one)
    whole = gathered_bytes(setting, stage_parameters(setting, stage))
    return scattered + min(ends + 2 * one + max(ends, one), 2 * whole)


def ending_bytes(setting: Setting, stage: Stage) -> int:
    """What the end of a backward pass needs when all activations are gone: gradients of the ends, being scattered.

    FSDP2 scatters embedding and output together, and last; of their two forms a layer's are among the copies' traffic.
    """
    strategy, cut = setting.strategy, cut_parameters(setting)
    if strategy.zero_stage < 2 or strategy.degrees.pp > 1 or sharing_of(setting).shared == 1:
        return 0
    each = FORMAT_BYTES[setting.practice.reduced] + rank_of(setting).product
    return max(0, cut.ends(stage) - cut.largest(stage)) * each
