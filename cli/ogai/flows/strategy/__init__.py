"""How a model is cut, free of the command line: `import ogai; ogai.strategy.score(Path("runs.csv"))`."""

from ogai.flows.strategy.export import export, text_of
from ogai.flows.strategy.import_ import Understood, import_
from ogai.flows.strategy.measured import MeasuredTable, measured
from ogai.flows.strategy.score import Score, calibrate, raise_for_unmeasured, score

__all__ = [
    "MeasuredTable",
    "Score",
    "Understood",
    "calibrate",
    "export",
    "import_",
    "measured",
    "raise_for_unmeasured",
    "score",
    "text_of",
]
