"""Where this machine's ledger of slots is kept."""

import os
from pathlib import Path

from l2_scheduler import machine_ledger

__all__ = ["ledger_folder"]


def ledger_folder() -> Path:
    """Return the machine's ledger of slots; `OGAI_LEDGER` names another one, for a lab or a test."""
    chosen = os.environ.get("OGAI_LEDGER")
    return Path(chosen).absolute() if chosen else machine_ledger()
