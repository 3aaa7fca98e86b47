"""How a model is cut, free of the command line: `import ogai; ogai.strategy.score(Path("runs.csv"))`."""

from ogai.flows.strategy.asked import Asked
from ogai.flows.strategy.compare import Compared, Side, compare
from ogai.flows.strategy.dryrun import Dried, dryrun, require_room
from ogai.flows.strategy.explain import Explained, Waiting, explain
from ogai.flows.strategy.export import export, text_of
from ogai.flows.strategy.import_ import Understood, import_
from ogai.flows.strategy.measured import MeasuredTable, measured
from ogai.flows.strategy.score import Score, calibrate, raise_for_unmeasured, score
from ogai.flows.strategy.search import Curve, Offer, Plan, Point, search, sweep

__all__ = [
    "Asked",
    "Compared",
    "Curve",
    "Dried",
    "Explained",
    "MeasuredTable",
    "Offer",
    "Plan",
    "Point",
    "Score",
    "Side",
    "Understood",
    "Waiting",
    "calibrate",
    "compare",
    "dryrun",
    "explain",
    "export",
    "import_",
    "measured",
    "raise_for_unmeasured",
    "require_room",
    "score",
    "search",
    "sweep",
    "text_of",
]
