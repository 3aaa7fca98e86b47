"""`python -m l3_modeltools.resilience.supervisor RUN_DIR`: what a run's job starts, once on its node."""

import os
import socket
import sys
from pathlib import Path

from l0_infra.core.errors import OgaiError
from l0_infra.core.store import ogai_home
from l3_modeltools.resilience.catalogue import load_catalogue
from l3_modeltools.resilience.kernel import open_kernel_log
from l3_modeltools.resilience.notify import Notifier
from l3_modeltools.resilience.supervisor.journal import Journal, say
from l3_modeltools.resilience.supervisor.supervise import Supervisor, Witness
from l3_modeltools.resilience.supervisor.wish import Wish
from l3_modeltools.runs import load_run

OWN_ERRORS = "errors.yaml"
"""In OGAI_HOME: errors that a person taught the catalogue."""


def main(directory: Path) -> int:
    """Supervise the run in `directory` to its end; return the exit code."""
    wish = Wish()
    try:
        run = load_run(directory)
        notifier = Notifier(run, os.environ, say=say)
        catalogue = load_catalogue(ogai_home(os.environ) / OWN_ERRORS)
        supervisor = Supervisor(
            run,
            node=socket.gethostname(),
            wish=wish,
            witness=Witness(catalogue=catalogue, kernel=open_kernel_log()),
            journal=Journal(directory, notifier),
        )
        return supervisor.supervise()
    except OgaiError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        print(f"{error}{hint}", file=sys.stderr, flush=True)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
