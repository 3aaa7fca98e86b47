"""Names of frameworks, so that help needs not load what knows them."""

__all__ = ["FRAMEWORKS", "PRACTISED"]

FRAMEWORKS = ("megatron", "torchtitan", "torchtitan-toml", "deepspeed", "mindformers", "mindformers-2")
"""Whose configurations are translated."""

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
