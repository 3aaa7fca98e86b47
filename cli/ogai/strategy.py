"""How a model is cut over devices, and what that costs: `from ogai.strategy import score`."""

from ogai.flows.strategy import (
    Asked,
    Compared,
    Curve,
    MeasuredTable,
    Plan,
    Score,
    Understood,
    calibrate,
    compare,
    export,
    import_,
    measured,
    score,
    search,
    sweep,
)

__all__ = [
    "Asked",
    "Compared",
    "Curve",
    "MeasuredTable",
    "Plan",
    "Score",
    "Understood",
    "calibrate",
    "compare",
    "export",
    "import_",
    "measured",
    "score",
    "search",
    "sweep",
]
