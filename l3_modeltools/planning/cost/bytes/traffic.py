"""Buffers of what ranks exchange: weights being gathered, gradients being scattered, activations between stages."""

from l3_modeltools.planning.cost.bytes.parameters import Parameters, cut_parameters, stage_parameters
from l3_modeltools.planning.cost.bytes.place import Stage
from l3_modeltools.planning.cost.bytes.states import gathered_bytes, sharing_of
from l3_modeltools.planning.cost.bytes.tensors import rank_of
from l3_modeltools.planning.cost.setting import FORMAT_BYTES, Setting

__all__ = ["copy_traffic", "ending_bytes", "passing_gradients", "stage_traffic"]


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
    logits = rank.tokens * setting.vocabulary // setting.vocabulary_parts * rank.product
    return batches * coming * one + (batches - 1) * logits * stage.last, one


def copy_traffic(setting: Setting, stage: Stage) -> int:
    """Weights on their way between copies with ZeRO 3, as FSDP2 moves them (torch.distributed.fsdp.fully_shard).

    The ends' weights, which stay gathered, one layer's that are used and one's that arrive, and all of the largest
    group again: they arrive in one piece, in memory of the exchanges' own stream that nothing else gets. With a
    pipeline all stay gathered, and count as weights. ZeRO 0 and 1 work within the gradients' own buffers (Megatron-LM).
    """
    return sum(_arriving(setting, stage))


def _arriving(setting: Setting, stage: Stage) -> tuple[int, int]:
    """Bytes gathered, and bytes of the room where they arrive."""
    strategy, cut = setting.strategy, cut_parameters(setting)
    if strategy.zero_stage < 3 or sharing_of(setting).shared == 1:
        return 0, 0
    ends = rank_of(setting).product * cut.ends(stage)
    one = gathered_bytes(setting, Parameters(cut.largest(stage)))
    room = max(ends, one)
    if strategy.degrees.pp > 1:
        return 0, room
    whole = gathered_bytes(setting, stage_parameters(setting, stage))
    return min(ends + 2 * one, 2 * whole - room), room


def passing_gradients(setting: Setting, stage: Stage) -> int:
    """Gradients on their way between copies beside a layer's backward pass, with ZeRO 2 and 3.

    Its own, in the products' format, and those of the layer before, which are being scattered: FSDP2 lets them go when
    the next ones are ready (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py, post_backward). A pipeline adds
    all micro batches' gradients to whole sums instead.
    """
    strategy = setting.strategy
    if strategy.zero_stage < 2 or strategy.degrees.pp > 1 or sharing_of(setting).shared == 1:
        return 0
    layer = cut_parameters(setting).largest(stage)
    return layer * (FORMAT_BYTES[setting.practice.reduced] + rank_of(setting).product)


def ending_bytes(setting: Setting, stage: Stage) -> int:
    """What the end of a step's last backward pass needs, when all activations are gone: gradients being scattered.

    FSDP2 scatters embedding and output together, and last, from the products' format, having let go of what was
    gathered (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py, post_backward). A pipeline's sums are scattered
    when the last micro batch is done, group by group, each through a copy (torch/distributed/pipelining/stage.py,
    perform_reduce_grad).
    """
    strategy, cut = setting.strategy, cut_parameters(setting)
    if strategy.zero_stage < 2 or sharing_of(setting).shared == 1:
        return 0
    each = FORMAT_BYTES[setting.practice.reduced]
    if strategy.degrees.pp > 1:
        return max(cut.ends(stage), cut.largest(stage)) * each
    return max(0, cut.ends(stage) * (each + rank_of(setting).product) - _arriving(setting, stage)[0])
