"""`ogai job`: submit jobs, watch them, end them; each command's module is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["job"]

HERE = "ogai.commands.job"

TABLE = {
    "submit": Entry(target=f"{HERE}.submit:submit", help="Put a document or a command into the queue."),
    "list": Entry(target=f"{HERE}.see:list_", help="The queue, and what ended lately."),
    "show": Entry(target=f"{HERE}.see:show", help="Everything about one job."),
    "logs": Entry(target=f"{HERE}.logs:logs", help="What a job printed; -f follows it."),
    "why": Entry(target=f"{HERE}.see:why", help="Why a job waits, and what would start it."),
    "top": Entry(target=f"{HERE}.top:top", help="The machine and its jobs, live."),
    "wait": Entry(target=f"{HERE}.wait:wait", help="Wait until jobs have ended."),
    "cancel": Entry(target=f"{HERE}.change:cancel", help="End jobs."),
    "hold": Entry(target=f"{HERE}.change:hold", help="Keep waiting jobs from starting."),
    "release": Entry(target=f"{HERE}.change:release", help="Let held jobs start."),
    "requeue": Entry(target=f"{HERE}.change:requeue", help="Run jobs again from the start."),
    "priority": Entry(target=f"{HERE}.change:priority", help="Let a waiting job start earlier or later."),
    "throttle": Entry(target=f"{HERE}.change:throttle", help="How many elements of an array run at once."),
    "prune": Entry(target=f"{HERE}.prune:prune", help="Forget jobs that ended long ago."),
}

EPILOG = """\b
Examples:
  ogai job submit -- python train.py          run a command when there is room
  ogai job submit --gpus 1 --time 2h job.yaml a document; flags win over it
  ogai job logs -f 12                         follow it, also over restarts
  ogai job why 13                             what a waiting job waits for
"""

job = LazyGroup("job", TABLE, help="Submit jobs, watch them, end them.", epilog=EPILOG)
