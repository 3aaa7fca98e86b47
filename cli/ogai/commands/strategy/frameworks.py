"""Names of frameworks, so that help needs not load what knows them."""

__all__ = ["FRAMEWORKS", "PRACTISED", "RUN_BY"]

FRAMEWORKS = ("megatron", "torchtitan", "torchtitan-toml", "deepspeed", "mindformers", "mindformers-2")
"""Whose configurations are translated."""

RUN_BY = ("megatron", "torchtitan", "deepspeed", "mindformers", "mindformers-2", "ogai")
"""Those of which it is known what they run."""

PRACTISED = (
    "ogai",
    "megatron",
    "torchtitan",
    "deepspeed",
    "mindformers",
    "llm-foundry",
    "llama3",
    "megatron-2022",
    "torchtitan-2024",
    "torchtitan-eager",
)
"""Trainers whose way to compute is known; those with a year as they were then."""
