"""Names of configurations that are translated, so that help needs not load what translates them."""

__all__ = ["FRAMEWORKS", "RUN_BY"]

FRAMEWORKS = ("megatron", "torchtitan", "torchtitan-toml", "deepspeed", "mindformers", "mindformers-2")

RUN_BY = ("megatron", "torchtitan", "deepspeed", "mindformers", "mindformers-2", "ogai")
"""Those of which it is known what they run."""
