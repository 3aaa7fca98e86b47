"""What must not be left behind: processes, claims, secrets in the open, damage, a traceback."""

import contextlib
import fcntl
import os
import signal
from pathlib import Path

from chaos.audit import Audit
from chaos.targets import carriers
from chaos.world import Ground, World

__all__ = [
    "check_agent_log",
    "check_gone",
    "check_ledger",
    "check_secrets",
    "check_slots",
    "check_store",
    "end_all",
]

STORE_CHECK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("PRAGMA integrity_check").fetchone()[0])
"""


def check_gone(audit: Audit, ground: Ground) -> None:
    """No process of any job, no shim, no agent."""
    left = carriers(ground.mark)
    audit.check(
        "no process is left", not left, "; ".join(f"{pid} {command}" for pid, command in left.items())
    )


def end_all(ground: Ground) -> None:
    """End what is left of the run, so that a violation harms nobody."""
    for pid in carriers(ground.mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def check_ledger(audit: Audit, ground: Ground) -> None:
    """Nobody holds a slot any more."""
    held = [path.read_text() for path in ground.ledger.glob("*.claim") if is_held(path)]
    audit.check("no claim is held", not held, "; ".join(held))


def is_held(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def check_slots(audit: Audit, ground: Ground) -> None:
    """Each job counted the CPUs of all living ones when it started."""
    log, cries = ground.slots / "log", ground.slots / "oversold"
    counted = len(log.read_text().splitlines()) if log.exists() else 0
    audit.checked["slots are not oversold"] += max(0, counted - 1)
    audit.check("slots are not oversold", not cries.exists(), cries.read_text() if cries.exists() else "")


def check_secrets(audit: Audit, world: World) -> None:
    """The value of a secret is nowhere but in the private folder."""
    needle = f"hush-{world.ground.mark}-".encode()
    for path in world.home.rglob("*"):
        if path.is_file() and world.layout.private not in path.parents:
            audit.check("secrets stay private", needle not in path.read_bytes(), str(path))
    for path in world.layout.private.iterdir():
        audit.check("secrets stay private", path.stat().st_mode & 0o077 == 0, f"{path} can be read by others")


def check_store(audit: Audit, world: World) -> None:
    """The queue's database is sound."""
    process = world.program(STORE_CHECK, str(world.layout.database))
    out, said = process.communicate()
    audit.check("the store is sound", out.strip() == "ok", f"{world.name}: {out}{said}")


def check_agent_log(audit: Audit, world: World) -> None:
    """The agent met nothing that it did not know how to tell."""
    text = world.layout.agent_log.read_text(errors="replace") if world.layout.agent_log.exists() else ""
    start = text.find("Traceback")
    audit.check(
        "the agent's log has no traceback", start < 0, f"{world.name}: {text[max(0, start) :][-1200:]}"
    )
