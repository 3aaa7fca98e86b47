"""The process `ogai agent`: L2's loop with L0's eyes. Usage: python -m ogai.daemons.agent HOME SPAWN_DESCRIPTOR"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from l0_infra.core.errors import OgaiError
from l0_infra.core.store import prepare_home
from l2_scheduler import serve_agent
from ogai.flows.ledger import ledger_folder
from ogai.flows.machine import MachineProbe
from ogai.version import __version__

__all__ = ["main"]

LOG_LIMIT_BYTES = 2**20


def main(arguments: Sequence[str]) -> int:
    """Be the agent of a home until there is nothing left to do."""
    home = prepare_home(Path(arguments[0]))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    shorten_log(home / "scheduler" / "agent.log")
    try:
        serve_agent(
            home,
            ledger=ledger_folder(),
            probe=MachineProbe(home),
            version=__version__,
            spawned_by=int(arguments[1]),
        )
    except (OgaiError, OSError) as error:
        print(error, file=sys.stderr)
        return OgaiError.exit_code
    return 0


def shorten_log(log: Path) -> None:
    """Start afresh when the log has grown large; it holds troubles only."""
    if log.stat().st_size > LOG_LIMIT_BYTES:
        os.truncate(log, 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
