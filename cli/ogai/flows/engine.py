"""Which engine this person's jobs go to, opened and ready; today the embedded one of this machine."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import l0_infra
import l2_scheduler
import ogai
from l0_infra.core.store import ogai_home, prepare_home
from l2_scheduler import LocalEngine, engine_environment
from ogai.flows.ledger import ledger_folder
from ogai.flows.machine import MachineProbe
from ogai.version import __version__

__all__ = ["open_engine", "spawn_agent"]

AGENT = "ogai.daemons.agent"
KEPT = ("HOME", "LANG", "LD_LIBRARY_PATH", "LOGNAME", "OGAI_LEDGER", "PATH", "TZ", "USER", "XDG_DATA_HOME")
"""Variables the agent keeps of its starter's; a job's own environment never passes through the agent."""


@contextlib.contextmanager
def open_engine() -> Iterator[LocalEngine]:
    """Open the engine of `OGAI_HOME`. Raises EngineError when that folder cannot hold a queue."""
    home = prepare_home(ogai_home(os.environ))
    engine = LocalEngine(
        home,
        ledger=ledger_folder(),
        probe=MachineProbe(home),
        spawn_agent=lambda descriptor: spawn_agent(home, descriptor),
        version=__version__,
    )
    try:
        yield engine
    finally:
        engine.close()


def spawn_agent(home: Path, descriptor: int) -> None:
    """Start the agent of `home`, as no child of ours, so that it outlives us and leaves no zombie. Raises OSError."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    roots = sorted({str(Path(package.__path__[0]).parent) for package in (ogai, l2_scheduler, l0_infra)})
    with open_log(home / "scheduler" / "agent.log") as log:
        subprocess.run(
            ["/bin/sh", "-c", '"$@" &', "sh", sys.executable, "-m", AGENT, str(home), str(descriptor)],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=engine_environment({**kept, "OGAI_HOME": str(home), "PYTHONPATH": os.pathsep.join(roots)}),
            start_new_session=True,
            pass_fds=(descriptor,),
        )


def open_log(path: Path) -> BinaryIO:
    """Open the agent's log to append to it. Raises OSError, also where a FIFO would keep us waiting for a reader."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "ab")
