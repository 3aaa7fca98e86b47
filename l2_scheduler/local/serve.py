"""The agent's process: exactly one per queue, from its start to the moment there is nothing left to do."""

import os
import time
from pathlib import Path

import msgspec

from l0_infra.core.store import save_file
from l2_scheduler.local.agent import Agent
from l2_scheduler.local.agent_process import TAKE_OVER_S, AgentIdentity, exclusive
from l2_scheduler.local.bell import Bell
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import Ledger
from l2_scheduler.local.processes import identity_of
from l2_scheduler.local.world import Probe

__all__ = ["serve_agent"]


def serve_agent(home: Path, *, ledger: Path, probe: Probe, version: str, spawned_by: int | None) -> bool:
    """Be the agent of `home` until there is nothing to do. Return False if another one already is.

    `spawned_by` is the descriptor given to `SpawnAgent`; closing it says that this agent listens.
    """
    layout = Layout(home / "scheduler").prepare()
    with exclusive(layout.agent_lock, TAKE_OVER_S) as mine:
        if mine is None:
            return False
        introduce(layout.agent_identity, version)
        bell = Bell(layout.bell)
        if spawned_by is not None:
            os.close(spawned_by)
        agent = Agent(layout, Ledger(ledger), probe, bell)
        while agent.run() == "idle":
            bell.close()  # from here on a submitter starts a new agent, which waits for our lock
            agent.book.refresh(agent.queue)
            if not agent.book.open:
                break
            agent.bell = bell = Bell(layout.bell)
    return True


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
