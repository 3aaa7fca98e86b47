"""How a model is cut over devices, and what that costs: `from ogai.strategy import score`."""

from ogai.flows.strategy import Score, calibrate, score

__all__ = ["Score", "calibrate", "score"]
