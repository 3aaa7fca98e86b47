"""Seconds of each pipeline stage for one micro batch: its layers by kind, and what its ends add."""

from dataclasses import dataclass

from l3_modeltools.planning.cost.bytes.place import KINDS, Stage, stages_of
from l3_modeltools.planning.cost.seconds.copies import gathered_s
from l3_modeltools.planning.cost.seconds.kernels import matmul_s, passes_s
from l3_modeltools.planning.cost.seconds.layer import LayerTime, Part, layer_time
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.setting import Setting

__all__ = ["StageTime", "chunk_times", "stage_times"]

LOSS_PASSES, FUSED_LOSS = 10, 0.4
"""Times the logits are read or written, as 16-bit numbers: two copies in fp32 forward, one backward; fused a part."""

TERMS = (
    "products",
    "attention",
    "elementwise",
    "idle",
    "tensor_exchange",
    "expert_exchange",
    "context_exchange",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class StageTime:
    """Seconds of a stage for one micro batch, all its virtual stages together."""

    products: float
    attention: float
    elementwise: float
    idle: float
    tensor_exchange: float
    expert_exchange: float
    context_exchange: float
    recompute: float
    copies: float
    """Exchanges between copies during each micro batch that no work hides."""
    output: float
    forward: float
    weight_gradients: float

    @property
    def total(self) -> float:
        """All of it, forward and backward."""
        work = self.products + self.attention + self.elementwise + self.idle + self.recompute + self.output
        return work + self.tensor_exchange + self.expert_exchange + self.context_exchange + self.copies

    @property
    def backward(self) -> float:
        """What is not forward."""
        return self.total - self.forward


def stage_times(setting: Setting, rates: Rates) -> tuple[StageTime, ...]:
    """Every pipeline stage, in their order; equal stages are worked out once."""
    kinds: dict[int, LayerTime] = {}
    known: dict[Stage, StageTime] = {}
    output = _output(setting, rates)
    for stage in (stages := stages_of(setting)):
        if stage not in known:
            for kind, name in enumerate(KINDS):
                if stage.count(kind) and kind not in kinds:
                    kinds[kind] = layer_time(setting, rates, name)
            known[stage] = _stage(setting, rates, stage, kinds, output)
    return tuple(known[stage] for stage in stages)


def chunk_times(setting: Setting, rates: Rates) -> tuple[tuple[StageTime, ...], ...]:
    """Every virtual stage by itself, by [v][p]; the output is the last one's."""
    output = _output(setting, rates)
    kinds = {kind: layer_time(setting, rates, name) for kind, name in enumerate(KINDS) if _has(setting, kind)}
    stages = stages_of(setting)
    vp = setting.strategy.degrees.vp
    return tuple(
        tuple(
            _stage(
                setting,
                rates,
                Stage((stage.chunks[v],), first=stage.first and v == 0, last=stage.last and v == vp - 1),
                kinds,
                output,
            )
            for stage in stages
        )
        for v in range(vp)
    )


def _has(setting: Setting, kind: int) -> bool:
    return any(stage.count(kind) for stage in stages_of(setting))


def _stage(
    setting: Setting, rates: Rates, stage: Stage, kinds: dict[int, LayerTime], output: Part
) -> StageTime:
    counts = {kind: stage.count(kind) for kind in kinds if stage.count(kind)}
    again = shown = shown_forward = 0.0
    for chunk in stage.chunks:
        for kind, (full, selective, plain) in enumerate(chunk.dealt()):
            for mode, many in (("full", full), ("selective", selective), ("none", plain)):
                if many:
                    made = 0.0 if mode == "none" else kinds[kind].again(setting, mode)
                    gathered = gathered_s(setting, rates, kind, kinds[kind], made)
                    again, shown = again + many * made, shown + many * gathered.both
                    shown_forward += many * gathered.forward
    end = output if stage.last else Part(0.0, 0.0)
    each = {
        name: sum(many * getattr(kinds[kind], name).both for kind, many in counts.items()) for name in TERMS
    }
    forward = sum(many * kinds[kind].forward for kind, many in counts.items())
    return StageTime(
        **each,
        recompute=again,
        copies=shown,
        output=end.both,
        forward=forward + end.forward + shown_forward,
        weight_gradients=sum(many * kinds[kind].weight_gradients for kind, many in counts.items()),
    )


def _output(setting: Setting, rates: Rates) -> Part:
    """The output's product, forward and backward, and the loss over its logits."""
    hidden, tokens = setting.architecture.hidden_size, setting.micro_tokens
    columns = setting.vocabulary / setting.vocabulary_parts
    passes = LOSS_PASSES * (FUSED_LOSS if setting.practice.fused_loss else 1.0)
    loss = passes_s(rates, passes * tokens * columns)
    forward = matmul_s(rates, tokens, columns, hidden, plain=True)
    backward = matmul_s(rates, tokens, hidden, columns, plain=True)
    backward += matmul_s(rates, hidden, columns, tokens, plain=True)
    return Part(forward + 0.5 * loss, backward + 0.5 * loss)
