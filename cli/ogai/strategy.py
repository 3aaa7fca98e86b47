"""How a model is cut over devices, and what that costs: `from ogai.strategy import score`."""

from ogai.flows.strategy import (
    Dried,
    MeasuredTable,
    Score,
    Understood,
    calibrate,
    dryrun,
    export,
    import_,
    measured,
    score,
)

__all__ = [
    "Dried",
    "MeasuredTable",
    "Score",
    "Understood",
    "calibrate",
    "dryrun",
    "export",
    "import_",
    "measured",
    "score",
]
