"""`ogai train`: train a language model to the end; each command's module is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["train"]

HERE = "ogai.commands.train"

TABLE = {
    "submit": Entry(
        target=f"{HERE}.submit:submit", help="Plan a training, show the plan, put it into the queue."
    ),
    "list": Entry(target=f"{HERE}.see:list_", help="All runs, the newest first."),
    "show": Entry(target=f"{HERE}.see:show", help="Everything about one run."),
    "watch": Entry(target=f"{HERE}.watch:watch", help="How a run goes on: progress, curves, speed, faults."),
    "faults": Entry(
        target=f"{HERE}.faults:faults",
        help="What went wrong in a run, or what any log means, and what to do.",
    ),
    "logs": Entry(target=f"{HERE}.logs:logs", help="What a run printed; -f follows it."),
    "stop": Entry(target=f"{HERE}.change:stop", help="Save, then end a run; resume goes on from there."),
    "resume": Entry(target=f"{HERE}.change:resume", help="Go on from the newest sound checkpoint."),
    "drill": Entry(target=f"{HERE}.drill:drill", help="Break a run on purpose, and see what it makes of it."),
    "sample": Entry(target=f"{HERE}.use:sample", help="Let the model go on with a text."),
    "export": Entry(target=f"{HERE}.use:export", help="Write the model as Hugging Face keeps models."),
    "compare": Entry(target=f"{HERE}.see:compare", help="Runs side by side: what differs, what came of it."),
    "report": Entry(target=f"{HERE}.report:report", help="One HTML page on a run, or on several."),
    "ettr": Entry(target=f"{HERE}.ettr:ettr", help="Share of the time made use of: of a run, of a plan."),
}

EPILOG = """\b
Examples:
  ogai schema example train > train.yaml   begin a document
  ogai train submit train.yaml --dry-run   what it takes: memory, disk, tokens
  ogai train submit train.yaml -f          queue it and stay with it
  ogai train sample tiny-llama-1 "def "    what the newest checkpoint writes
  ogai train report tiny-llama-1 --open    its curves and faults on one page
  ogai train export tiny-llama-1 --to out  load it with transformers
"""

train = LazyGroup("train", TABLE, help="Train a language model to the end.", epilog=EPILOG)
