"""`ogai strategy`: how a model is cut over devices; each command is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["strategy"]

HERE = "ogai.commands.strategy"

TABLE = {
    "score": Entry(target=f"{HERE}.score:score", help="How far off the cost model is on measured runs."),
    "calibrate": Entry(target=f"{HERE}.score:calibrate", help="Fit the cost model to measured runs."),
    "measured": Entry(target=f"{HERE}.measured:measured", help="Runs of your own as a table to score."),
    "export": Entry(target=f"{HERE}.export:export", help="A strategy as a framework's own configuration."),
    "import": Entry(target=f"{HERE}.import_:import_", help="A framework's configuration as a strategy."),
}

EPILOG = """\b
Examples:
  ogai strategy score runs.csv               can it be trusted here?
  ogai strategy calibrate runs.csv --to ours.yaml
  ogai strategy score new.csv --calibration ours.yaml
  ogai strategy measured > ours.csv               the runs of this machine
  ogai strategy export strategy.yaml --to megatron
  ogai strategy import their.yaml --to strategy.yaml
"""

strategy = LazyGroup(
    "strategy", TABLE, help="How a model is cut over devices, and what that costs.", epilog=EPILOG
)
