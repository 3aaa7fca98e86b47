"""MindFormers: YAML of 1.x in graph mode (`parallel_config`) and of the dynamic graph of 2.x (`parallelism`)."""

from l3_modeltools.frameworks.translate.mindformers.dynamic import DYNAMIC_MINDFORMERS
from l3_modeltools.frameworks.translate.mindformers.graph import MINDFORMERS

__all__ = ["DYNAMIC_MINDFORMERS", "MINDFORMERS"]
