"""How weights are changed: AdamW and its learning rate over the steps."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Count, Part, Positive

__all__ = ["Constant", "Cosine", "Optimizer", "WarmupStableDecay"]

Share = Annotated[float, Meta(ge=0, le=1)]
Decay = Annotated[float, Meta(ge=0, lt=1)]


class Constant(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="constant"):
    """Rise, then stay."""

    warmup_steps: Annotated[Count, Meta(description="Steps of linear rise from 0.")] = 0

    @property
    def shortest(self) -> int:
        """The fewest steps of a training that this fits into."""
        return self.warmup_steps


class Cosine(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="cosine"):
    """Rise, then fall along half a cosine until the last step."""

    warmup_steps: Annotated[Count, Meta(description="Steps of linear rise from 0.")] = 0
    final_share: Annotated[Share, Meta(description="Share of the learning rate left at the end.")] = 0.1

    @property
    def shortest(self) -> int:
        """The fewest steps of a training that this fits into."""
        return self.warmup_steps


class WarmupStableDecay(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="wsd"
):
    """Rise, stay, then fall over the last steps."""

    warmup_steps: Annotated[Count, Meta(description="Steps of linear rise from 0.")] = 0
    decay_steps: Annotated[Positive, Meta(description="Last steps, in which it falls.")]
    final_share: Annotated[Share, Meta(description="Share of the learning rate left at the end.")] = 0.0

    @property
    def shortest(self) -> int:
        """The fewest steps of a training that this fits into."""
        return self.warmup_steps + self.decay_steps


class Optimizer(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """AdamW (arXiv:1711.05101)."""

    learning_rate: Annotated[float, Meta(gt=0, description="Highest learning rate.")] = 3e-4
    weight_decay: Annotated[float, Meta(ge=0, description="Decoupled decay of the matrices.")] = 0.1
    adam_beta1: Annotated[Decay, Meta(description="Decay of the mean of gradients.")] = 0.9
    adam_beta2: Annotated[Decay, Meta(description="Decay of the mean of their squares.")] = 0.95
    max_grad_norm: Annotated[
        Annotated[float, Meta(gt=0)] | None, Meta(description="Gradients are clipped to it; null: never.")
    ] = 1.0
    schedule: Annotated[
        Constant | Cosine | WarmupStableDecay, Meta(description="Learning rate over the steps.")
    ] = Cosine()
