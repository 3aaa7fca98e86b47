"""How a model is cut over devices, and what that costs: `from ogai.strategy import score`."""

from ogai.flows.strategy import Score, Understood, calibrate, export, import_, score

__all__ = ["Score", "Understood", "calibrate", "export", "import_", "score"]
