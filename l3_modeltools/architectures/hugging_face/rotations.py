"""Rotary positions in config.json: as `rope_theta` and `rope_scaling`, and as the newer `rope_parameters`."""

from l3_modeltools.architectures.hugging_face.reader import HfConfig
from l3_modeltools.schemas import Llama3Scaling, Rope, YarnScaling

__all__ = ["read_rope", "write_rope"]


def read_rope(config: HfConfig, default_theta: float = 10_000.0) -> Rope:
    """Read the rotations; UnsatisfiableError for a way of stretching that `architecture` does not have."""
    config.expect("partial_rotary_factor", None, 1, 1.0)
    scaling = config.part("rope_parameters") or config.part("rope_scaling")
    inner = scaling if scaling and "rope_theta" in scaling.fields else config
    theta = inner.number("rope_theta", default_theta)
    return Rope(rope_theta=theta, rope_scaling=_scaling(scaling, config) if scaling else None)


def write_rope(rope: Rope) -> dict[str, object]:
    """Write the older form, which old and new readers know."""
    return {"rope_theta": rope.rope_theta, "rope_scaling": _written(rope.rope_scaling)}


def _scaling(scaling: HfConfig, config: HfConfig) -> Llama3Scaling | YarnScaling | None:
    scaling.expect("partial_rotary_factor", None, 1, 1.0)
    kind = scaling.fields.get("rope_type", scaling.fields.get("type", "default"))
    before = config.optional("max_position_embeddings")
    if kind == "llama3":
        return Llama3Scaling(
            factor=scaling.number("factor"),
            low_freq_factor=scaling.number("low_freq_factor"),
            high_freq_factor=scaling.number("high_freq_factor"),
            original_max_position_embeddings=scaling.integer("original_max_position_embeddings", before),
        )
    if kind == "yarn":
        scaling.expect("attention_factor", None)
        scaling.expect("truncate", None, True)
        return YarnScaling(
            factor=scaling.number("factor"),
            original_max_position_embeddings=scaling.integer("original_max_position_embeddings", before),
            beta_fast=scaling.number("beta_fast", 32.0),
            beta_slow=scaling.number("beta_slow", 1.0),
            mscale=scaling.optional_number("mscale"),
            mscale_all_dim=scaling.optional_number("mscale_all_dim"),
        )
    return None if kind == "default" else scaling.unsupported("rope_type", kind, "`llama3`, `yarn` or none")


def _written(scaling: Llama3Scaling | YarnScaling | None) -> dict[str, object] | None:
    if scaling is None:
        return None
    values = {name: getattr(scaling, name) for name in scaling.__struct_fields__}
    kind = "llama3" if isinstance(scaling, Llama3Scaling) else "yarn"
    return {"rope_type": kind} | {name: value for name, value in values.items() if value is not None}
