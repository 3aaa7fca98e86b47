"""Megatron-LM: arguments of its training programs."""

from l3_modeltools.frameworks.translate.megatron.table import FLAGS, MEGATRON, NAMES

__all__ = ["FLAGS", "MEGATRON", "NAMES"]
