"""Seconds of exchanges between data-parallel copies: what ZeRO gathers of weights and adds up of gradients."""

from l3_modeltools.planning.cost.bytes.parameters import Parameters, cut_parameters, stage_parameters
from l3_modeltools.planning.cost.bytes.place import Stage
from l3_modeltools.planning.cost.seconds.exchange import gather_s
from l3_modeltools.planning.cost.seconds.kernels import passes_s
from l3_modeltools.planning.cost.seconds.layer import LayerTime, Part
from l3_modeltools.planning.cost.seconds.rates import Group, Rates
from l3_modeltools.planning.cost.setting import FORMAT_BYTES, Setting

__all__ = ["exchange_s", "gathered_s", "gathers_each_time", "reduction_s"]


def gathers_each_time(setting: Setting) -> bool:
    """Whether weights are gathered for every micro batch: with ZeRO 3, but not where there are stages.

    Those keep what they gathered through the step (torchtitan docs/fsdp.md; arXiv:2407.21783, section 3.3.2).
    """
    return setting.strategy.zero_stage == 3 and setting.strategy.degrees.pp == 1


def gathered_s(setting: Setting, rates: Rates, kind: int, layer: LayerTime, again: float) -> Part:
    """ZeRO 3: what gathering a layer's weights both ways and scattering its gradients takes longer than its work.

    What is gathered and scattered is copied from where it lies to where it travels, which hides behind nothing.
    """
    if not gathers_each_time(setting):
        return Part(0.0, 0.0)
    held = cut_parameters(setting).layers[kind]
    weights = _exchange(setting, rates, held, _weight_bytes(setting))
    gradients = _exchange(setting, rates, held, FORMAT_BYTES[setting.practice.reduced])
    hidden = rates.calibration.hidden_share if setting.practice.overlap_dp else 0.0
    moved = passes_s(rates, rates.calibration.shard_passes * held.total)
    return Part(
        moved / 3 + max(0.0, weights - hidden * layer.forward),
        2 * moved / 3 + max(0.0, weights + gradients - hidden * (layer.backward + again)),
    )


def reduction_s(setting: Setting, rates: Rates, stage: Stage, forward: float, backward: float) -> float:
    """What a stage exchanges once a step: gradients after the last micro batch, and weights before the first.

    Where they run behind work it is that of one micro batch, all but the last bucket, for which a layer is taken.
    """
    held, bucket = stage_parameters(setting, stage), cut_parameters(setting).largest(stage)
    zero, overlap = setting.strategy.zero_stage, setting.practice.overlap_dp
    hidden = rates.calibration.hidden_share if overlap else 0.0
    each = FORMAT_BYTES[setting.practice.reduced]
    if gathers_each_time(setting):
        ends = Parameters(bucket)
        return _exchange(setting, rates, ends, each) + _exchange(setting, rates, ends, _weight_bytes(setting))
    gradients = _exchange(setting, rates, held, each)
    last = gradients * min(1.0, bucket / held.total)
    if zero == 0:  # an all-reduce
        return max(2 * last, 2 * gradients - hidden * backward)
    weights = _exchange(setting, rates, held, _weight_bytes(setting))
    return max(last, gradients - hidden * backward) + max(0.0, weights - hidden * forward)


def exchange_s(setting: Setting, rates: Rates, held: Parameters) -> float:
    """The same of so many parameters, without latencies, and before any of it hides behind work: linear in them.

    Not for who gathers for each micro batch.
    """
    gradients = _exchange(setting, rates, held, FORMAT_BYTES[setting.practice.reduced], latency=False)
    if setting.strategy.zero_stage == 0:
        return 2 * gradients
    return gradients + _exchange(setting, rates, held, _weight_bytes(setting), latency=False)


def _weight_bytes(setting: Setting) -> int:
    """Bytes of a weight as it travels: 16 bits, for 8 are gathered only where a trainer is asked to."""
    return 2 if setting.practice.kept.master_only else FORMAT_BYTES[setting.practice.weights]


def _exchange(setting: Setting, rates: Rates, held: Parameters, each: int, *, latency: bool = True) -> float:
    """A gather, or a scatter, over those that hold the same; experts lie once in each expert-parallel group."""
    degrees = setting.strategy.degrees
    copies = degrees.dp * degrees.cp
    groups: list[tuple[int, Group]] = [(held.shared, rates.group(copies, degrees.tp))]
    if held.experts:
        ranks = max(1, copies * degrees.tp // degrees.ep)
        groups.append((held.experts, rates.group(ranks, degrees.ep)))
    spared = 0.0 if latency else sum(gather_s(rates, 0, group) for _, group in groups)
    return sum(gather_s(rates, each * count, group) for count, group in groups) - spared
