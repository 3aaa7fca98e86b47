"""Names of configurations that are translated, so that help needs not load what translates them."""

__all__ = ["FRAMEWORKS"]

FRAMEWORKS = ("megatron", "torchtitan", "torchtitan-toml", "deepspeed", "mindformers", "mindformers-2")
