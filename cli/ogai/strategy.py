"""How a model is cut over devices, and what that costs: `from ogai.strategy import score`."""

from ogai.flows.strategy import (
    MeasuredTable,
    Score,
    Understood,
    calibrate,
    export,
    import_,
    measured,
    score,
)

__all__ = ["MeasuredTable", "Score", "Understood", "calibrate", "export", "import_", "measured", "score"]
