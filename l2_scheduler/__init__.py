"""A job enters a queue and ends with exactly one outcome.

The face is resolved on first use, so that a shim, which has the standard library only, can live in this package.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l2_scheduler.local.engine import LocalEngine
    from l2_scheduler.local.ledger import machine_ledger
    from l2_scheduler.local.logs import read_log
    from l2_scheduler.local.prune import Pruned
    from l2_scheduler.local.serve import serve_agent
    from l2_scheduler.placement import Explanation, decide

__all__ = [
    "Explanation",
    "LocalEngine",
    "Pruned",
    "decide",
    "machine_ledger",
    "read_log",
    "serve_agent",
]

HOMES = {
    "Explanation": "placement",
    "LocalEngine": "local.engine",
    "Pruned": "local.prune",
    "decide": "placement",
    "machine_ledger": "local.ledger",
    "read_log": "local.logs",
    "serve_agent": "local.serve",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
