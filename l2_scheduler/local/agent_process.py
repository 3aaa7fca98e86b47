"""The agent as a process: exactly one per queue, started by whoever finds none, replaced when a newer version comes."""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from l0_infra.core.errors import EngineError
from l0_infra.core.store import save_file
from l2_scheduler.local.agent import Agent
from l2_scheduler.local.bell import Bell, ring
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import Ledger
from l2_scheduler.local.processes import Identity, identity_of, is_alive
from l2_scheduler.local.world import Probe

__all__ = ["AgentIdentity", "SpawnAgent", "agent_identity", "serve_agent", "stop_agent", "wake_agent"]

SpawnAgent = Callable[[int], None]
"""Start an agent process that inherits this descriptor and closes it once it listens."""

TAKE_OVER_S = 30.0


class AgentIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Which process is the agent, from `agent.json`."""

    boot_id: str
    pid: int
    start_ticks: int
    version: str
    started_at: float

    def alive(self) -> bool:
        return is_alive(Identity(self.boot_id, self.pid, self.start_ticks))


def wake_agent(layout: Layout, version: str, spawn: SpawnAgent) -> None:
    """Make the agent look: ring its bell, replace it if it is of another version, start one if there is none."""
    if ring(layout.bell):
        identity = agent_identity(layout)
        if identity is None or identity.version == version:
            return
        ring(layout.bell, "quit")
    with exclusive(layout.root / "agent.spawn") as descriptor:
        if descriptor is not None:
            spawn(descriptor)


def agent_identity(layout: Layout) -> AgentIdentity | None:
    """Read which agent lives; None when none does."""
    try:
        identity = msgspec.json.decode(layout.agent_identity.read_bytes(), type=AgentIdentity)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    return identity if identity.alive() else None


def stop_agent(layout: Layout, timeout_s: float = TAKE_OVER_S) -> bool:
    """Ask the agent to leave and wait until it has; running jobs go on. Return False if none was there."""
    if not ring(layout.bell, "quit"):
        return False
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        with exclusive(layout.agent_lock) as descriptor:
            if descriptor is not None:
                return True
        time.sleep(0.02)
    raise EngineError(
        "agent",
        found=f"still at work after {timeout_s:.0f} s",
        expected="it to leave",
        hint=f"its words are in {layout.agent_log}",
        retry=True,
    )


def serve_agent(home: Path, *, ledger: Path, probe: Probe, version: str, spawned_by: int | None) -> bool:
    """Be the agent until there is nothing to do. Return False if another one already is.

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
                return True
            agent.bell = bell = Bell(layout.bell)
    return True


def introduce(path: Path, version: str) -> None:
    """Say who the agent is."""
    me = identity_of(os.getpid())
    identity = AgentIdentity(
        boot_id=me.boot_id, pid=me.pid, start_ticks=me.start_ticks, version=version, started_at=time.time()
    )
    save_file(path, msgspec.json.encode(identity))


@contextlib.contextmanager
def exclusive(path: Path, timeout_s: float = 0.0) -> Iterator[int | None]:
    """Hold `flock` on a file and yield its descriptor; yield None if somebody else holds it for `timeout_s`."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor if lock_within(descriptor, timeout_s) else None
    finally:
        os.close(descriptor)


def lock_within(descriptor: int, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.02)
        else:
            return True
