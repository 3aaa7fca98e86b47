"""`python -m l3_modeltools.resilience.supervisor RUN_DIR`: what a run's job starts, once on its node."""

import os
import socket
import sys
from pathlib import Path

from l0_infra.core.errors import OgaiError
from l0_infra.core.store import ogai_home
from l3_modeltools.resilience.catalogue import OWN_ERRORS, Catalogue, load_catalogue
from l3_modeltools.resilience.kernel import open_kernel_log
from l3_modeltools.resilience.notify import Notifier
from l3_modeltools.resilience.supervisor.journal import Journal, say
from l3_modeltools.resilience.supervisor.supervise import Supervisor, Witness
from l3_modeltools.resilience.supervisor.wish import Wish
from l3_modeltools.runs import load_run


def main(directory: Path) -> int:
    """Supervise the run in `directory` to its end; return the exit code."""
    wish = Wish()
    try:
        run = load_run(directory)
        notifier = Notifier(run, os.environ, say=say)
        supervisor = Supervisor(
            run,
            node=socket.gethostname(),
            wish=wish,
            witness=Witness(catalogue=known_errors(), kernel=open_kernel_log()),
            journal=Journal(directory, notifier),
        )
        return supervisor.supervise()
    except OgaiError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        print(f"{error}{hint}", file=sys.stderr, flush=True)
        return error.exit_code


def known_errors() -> Catalogue:
    """Return the catalogue with a person's own errors; a file of theirs that is not sound is said, and left out."""
    try:
        return load_catalogue(ogai_home(os.environ) / OWN_ERRORS)
    except OgaiError as error:
        print(f"{error}\nthe run goes on without these errors", file=sys.stderr, flush=True)
        return load_catalogue()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
