"""Who can be killed: the agent, shims, tasks and what tasks left behind, found as an outsider finds them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chaos.world import World
from l2_scheduler.local.agent_process import AgentIdentity, agent_identity
from l2_scheduler.local.attempts import read_keeper
from l2_scheduler.local.processes import Identity, descendants, is_alive
from l2_scheduler.local.shim.proc import pids

__all__ = ["Shim", "carriers", "grandchildren", "living_agent", "living_shims", "tasks"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shim:
    """A living shim and its job."""

    job_id: str
    identity: Identity


def living_agent(world: World) -> AgentIdentity | None:
    """Find the world's agent."""
    return agent_identity(world.layout)


def living_shims(world: World) -> list[Shim]:
    """Find the shims that are at work."""
    return list(_shims(world))


def _shims(world: World) -> Iterator[Shim]:
    for path in world.layout.jobs.glob("*/*/shim.json"):
        keeper = read_keeper(path.parent)
        if keeper is not None and not (path.parent / "exit.json").exists():
            identity = Identity(boot_id=keeper.boot_id, pid=keeper.pid, start_ticks=keeper.start_ticks)
            if is_alive(identity):
                yield Shim(job_id=path.parts[-3], identity=identity)


def tasks(shim: Shim) -> list[Identity]:
    """Find the shim's own children that run the actor."""
    return [i for i in descendants(shim.identity.pid) if "actor.py" in command_of(i.pid)]


def grandchildren(shim: Shim) -> list[Identity]:
    """Find what the tasks started."""
    return [i for i in descendants(shim.identity.pid) if "actor.py" not in command_of(i.pid)]


def carriers(mark: str) -> dict[int, str]:
    """Find every process of this run by its mark in argv or environment: pid to command."""
    found = {pid: command_of(pid) for pid in pids()}
    return {
        pid: command
        for pid, command in found.items()
        if pid != os.getpid() and (mark in command or mark in read(pid, "environ"))
    }


def command_of(pid: int) -> str:
    return read(pid, "cmdline").replace("\0", " ").strip()


def read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes().decode(errors="replace")
    except OSError:
        return ""
