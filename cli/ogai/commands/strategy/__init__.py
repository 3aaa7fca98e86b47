"""`ogai strategy`: how a model is cut over devices; each command is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["strategy"]

HERE = "ogai.commands.strategy"

TABLE = {
    "score": Entry(target=f"{HERE}.score:score", help="How far off the cost model is on measured runs."),
    "calibrate": Entry(target=f"{HERE}.score:calibrate", help="Fit the cost model to measured runs."),
}

EPILOG = """\b
Examples:
  ogai strategy score runs.csv               can it be trusted here?
  ogai strategy calibrate runs.csv --to ours.yaml
  ogai strategy score new.csv --calibration ours.yaml
"""

strategy = LazyGroup(
    "strategy", TABLE, help="How a model is cut over devices, and what that costs.", epilog=EPILOG
)
