"""How a model is cut, free of the command line: `import ogai; ogai.strategy.score(Path("runs.csv"))`."""

from ogai.flows.strategy.dryrun import Dried, dryrun, require_room
from ogai.flows.strategy.export import export, text_of
from ogai.flows.strategy.import_ import Understood, import_
from ogai.flows.strategy.measured import MeasuredTable, measured
from ogai.flows.strategy.score import Score, calibrate, score

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
    "require_room",
    "score",
    "text_of",
]
