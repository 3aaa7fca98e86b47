"""How a model is cut, free of the command line: `import ogai; ogai.strategy.score(Path("runs.csv"))`."""

from ogai.flows.strategy.score import Score, calibrate, score

__all__ = ["Score", "calibrate", "score"]
