"""The agent's process: exactly one per queue, from its start to the moment there is nothing left to do."""

import os
import time
from pathlib import Path

import msgspec

from l0_infra.core.errors import OgaiError
from l0_infra.core.store import save_file
from l2_scheduler.local.agent import Agent
from l2_scheduler.local.agent_process import TAKE_OVER_S, AgentIdentity
from l2_scheduler.local.bell import Bell
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import Ledger
from l2_scheduler.local.locks import exclusive
from l2_scheduler.local.processes import identity_of
from l2_scheduler.local.trouble import tell_trouble
from l2_scheduler.local.world import Probe

__all__ = ["serve_agent"]

TRY_AGAIN_S = 1.0
GIVE_UP_S = 60.0


def serve_agent(home: Path, *, ledger: Path, probe: Probe, version: str, spawned_by: int | None) -> bool:
    """Be the agent of `home` until there is nothing to do. Return False if another one already is.

    `spawned_by` is the descriptor given to `SpawnAgent`; closing it says that this agent listens. Raises OgaiError or
    OSError when the queue cannot be opened for a minute.
    """
    layout = Layout(home / "scheduler").prepare()
    with exclusive(layout.agent_lock, TAKE_OVER_S) as mine:
        if mine is None:
            return False
        bell = Bell(layout.bell)
        if spawned_by is not None:
            os.close(spawned_by)
        agent = begin(layout, ledger, probe, bell, version)
        while agent is not None and agent.run() == "idle":
            bell.close()  # from here on a submitter starts a new agent, which waits for our lock
            agent.book.refresh(agent.queue)
            if not agent.book.open:
                break
            agent.bell = bell = Bell(layout.bell)
    return True


def begin(layout: Layout, ledger: Path, probe: Probe, bell: Bell, version: str) -> Agent | None:
    """Open everything; a full disk or a locked store may pass, so try for a minute. None when told to leave."""
    give_up_at = time.monotonic() + GIVE_UP_S
    while True:
        try:
            introduce(layout.agent_identity, version)
            return Agent(layout, Ledger(ledger), probe, bell)
        except (OgaiError, OSError) as error:
            if time.monotonic() > give_up_at:
                raise
            tell_trouble(error)
        if "quit" in bell.wait(TRY_AGAIN_S):
            return None


def introduce(path: Path, version: str) -> None:
    """Say who the agent is."""
    me = identity_of(os.getpid())
    if me is not None:  # None only for a process that has ended
        identity = AgentIdentity(
            boot_id=me.boot_id,
            pid=me.pid,
            start_ticks=me.start_ticks,
            version=version,
            started_at=time.time(),
        )
        save_file(path, msgspec.json.encode(identity))
