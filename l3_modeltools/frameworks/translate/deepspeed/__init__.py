"""DeepSpeed: its JSON configuration."""

from l3_modeltools.frameworks.translate.deepspeed.table import DEEPSPEED

__all__ = ["DEEPSPEED"]
