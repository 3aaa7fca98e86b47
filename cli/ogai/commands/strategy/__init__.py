"""`ogai strategy`: how a model is cut over devices; each command is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["strategy"]

HERE = "ogai.commands.strategy"

TABLE = {
    "search": Entry(target=f"{HERE}.search:search", help="The best way to cut a model over a machine."),
    "sweep": Entry(target=f"{HERE}.sweep:sweep", help="How a training scales with the accelerators."),
    "compare": Entry(target=f"{HERE}.compare:compare", help="Two strategies side by side."),
    "score": Entry(target=f"{HERE}.score:score", help="How far off the cost model is on measured runs."),
    "calibrate": Entry(target=f"{HERE}.score:calibrate", help="Fit the cost model to measured runs."),
    "measured": Entry(target=f"{HERE}.measured:measured", help="Runs of your own as a table to score."),
    "explain": Entry(target=f"{HERE}.explain:explain", help="Where each number of a plan comes from."),
    "dryrun": Entry(
        target=f"{HERE}.dryrun:dryrun", help="A step of each pipeline stage without computing it."
    ),
    "export": Entry(target=f"{HERE}.export:export", help="A strategy as a framework's own configuration."),
    "import": Entry(target=f"{HERE}.import_:import_", help="A framework's configuration as a strategy."),
}

EPILOG = """\b
Examples:
  ogai strategy search llama-3.1-8b --devices 64 --device h100-sxm-80 \\
      --sequence-length 8192 --global-batch 512
  ogai strategy explain best.yaml --device h100-sxm-80 --html plan.html
  ogai strategy score runs.csv               can it be trusted here?
  ogai strategy calibrate runs.csv --to ours.yaml
  ogai strategy score new.csv --calibration ours.yaml
  ogai strategy measured > ours.csv          the runs of this machine
  ogai strategy dryrun strategy.yaml --device h100-sxm-80
  ogai strategy export strategy.yaml --to megatron
  ogai strategy import their.yaml --to strategy.yaml
"""

strategy = LazyGroup(
    "strategy", TABLE, help="How a model is cut over devices, and what that costs.", epilog=EPILOG
)
