"""A job enters a queue and ends with exactly one outcome.

The face is resolved on first use, so that a shim, which has the standard library only, can live in this package.
"""

TYPE_CHECKING = False  # typing and importlib would cost a shim half of its start
if TYPE_CHECKING:
    from l2_scheduler.local.agent_process import AgentIdentity
    from l2_scheduler.local.engine import LocalEngine
    from l2_scheduler.local.ledger import machine_ledger
    from l2_scheduler.local.logs import Piece, read_log, stamp
    from l2_scheduler.local.prune import Pruned
    from l2_scheduler.local.serve import serve_agent
    from l2_scheduler.local.shim import engine_environment
    from l2_scheduler.local.survey import Survey, Verdict
    from l2_scheduler.local.usage import Usage
    from l2_scheduler.placement import Blocker, Cancel, Explanation, Start, Wait, decide

__all__ = [
    "AgentIdentity",
    "Blocker",
    "Cancel",
    "Explanation",
    "LocalEngine",
    "Piece",
    "Pruned",
    "Start",
    "Survey",
    "Usage",
    "Verdict",
    "Wait",
    "decide",
    "engine_environment",
    "machine_ledger",
    "read_log",
    "serve_agent",
    "stamp",
]

HOMES = {
    "AgentIdentity": "local.agent_process",
    "Blocker": "placement",
    "Cancel": "placement",
    "Explanation": "placement",
    "LocalEngine": "local.engine",
    "Piece": "local.logs",
    "Pruned": "local.prune",
    "Start": "placement",
    "Survey": "local.survey",
    "Usage": "local.usage",
    "Verdict": "local.survey",
    "Wait": "placement",
    "decide": "placement",
    "engine_environment": "local.shim",
    "machine_ledger": "local.ledger",
    "read_log": "local.logs",
    "serve_agent": "local.serve",
    "stamp": "local.logs",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
