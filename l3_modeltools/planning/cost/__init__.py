"""What a training step costs on each rank, in bytes and in seconds, term by term: pure functions."""

from l3_modeltools.planning.cost.setting import Setting

__all__ = ["Setting"]
