"""The hard events: kills, stops, a jumping clock, a locked store, a full disk."""

import contextlib
import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from faked_clock import fake_clock_library, faked_clock, set_clock

from chaos.stage import Stage
from chaos.targets import grandchildren, living_agent, living_shims, tasks
from chaos.world import World
from l2_scheduler.local.processes import Identity, signal_identity

__all__ = [
    "fill_disk",
    "jump_clock",
    "kill_agent",
    "kill_everything",
    "kill_grandchild",
    "kill_shim",
    "kill_task",
    "lock_store",
    "pause_agent",
]

LOCKER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
connection.execute("BEGIN " + sys.argv[2])
time.sleep(float(sys.argv[3]))
connection.execute("ROLLBACK")
"""


def signal_agent(world: World, number: int) -> bool:
    agent = living_agent(world)
    if agent is None:
        return False
    return signal_identity(
        Identity(boot_id=agent.boot_id, pid=agent.pid, start_ticks=agent.start_ticks), number
    )


def kill_agent(stage: Stage, world: World) -> bool:
    """End the agent in the middle of whatever it does."""
    return signal_agent(world, signal.SIGKILL)


def pause_agent(stage: Stage, world: World) -> bool:
    """Stop the agent for a while, as a debugger or an overloaded machine would."""
    agent = living_agent(world)
    if agent is None:
        return False
    who = Identity(boot_id=agent.boot_id, pid=agent.pid, start_ticks=agent.start_ticks)
    stage.later(stage.rng.uniform(0.2, 4.0), lambda: signal_identity(who, signal.SIGCONT))
    return signal_identity(who, signal.SIGSTOP)


def kill_shim(stage: Stage, world: World) -> bool:
    """End the parent of a job's processes; half of the time the youngest, which has not listed them all yet."""
    shims = sorted(living_shims(world), key=lambda shim: shim.identity.start_ticks)
    if not shims:
        return False
    shim = stage.rng.choice((stage.rng.choice(shims), shims[-1]))
    stage.history.disturb("shim killed", world.name, shim.job_id)
    return signal_identity(shim.identity, signal.SIGKILL)


def kill_everything(stage: Stage, world: World) -> bool:
    """End the agent and all shims at once, as an administrator in a hurry would."""
    shims = living_shims(world)
    killed = signal_agent(world, signal.SIGKILL)
    for shim in shims:
        stage.history.disturb("shim killed", world.name, shim.job_id)
        signal_identity(shim.identity, signal.SIGKILL)
    return killed or bool(shims)


def kill_task(stage: Stage, world: World) -> bool:
    """End a job's own process."""
    shims = living_shims(world)
    if not shims:
        return False
    shim = stage.rng.choice(shims)
    return kill_one(stage, world, shim.job_id, tasks(shim))


def kill_grandchild(stage: Stage, world: World) -> bool:
    """End a process that a job started."""
    found = [(shim, below) for shim in living_shims(world) if (below := grandchildren(shim))]
    if not found:
        return False
    shim, below = stage.rng.choice(found)
    return kill_one(stage, world, shim.job_id, below)


def kill_one(stage: Stage, world: World, job_id: str, victims: Sequence[Identity]) -> bool:
    if not victims:
        return False
    stage.history.disturb("task killed", world.name, job_id)
    return signal_identity(stage.rng.choice(victims), signal.SIGKILL)


def lock_store(stage: Stage, world: World) -> bool:
    """Have another process hold the queue's database."""
    if not world.layout.database.exists():
        return False
    kind, hold_s = stage.rng.choice(("IMMEDIATE", "EXCLUSIVE")), stage.rng.uniform(0.2, 3.0)
    process = world.program(LOCKER, str(world.layout.database), kind, str(hold_s))
    stage.later(hold_s, lambda: process.communicate())
    return True


def fill_disk(stage: Stage, world: World) -> bool:
    """Take the last byte of the world's disk for a while."""
    if world.disk is None:
        return False
    filler = world.disk / "filler"
    if filler.exists():
        return False
    with filler.open("wb") as file:
        take_all(file.fileno())
    stage.later(stage.rng.uniform(0.5, 3.0), filler.unlink)
    return True


def take_all(descriptor: int) -> None:
    size, step = 0, 2**20
    while step >= 512:
        try:
            os.posix_fallocate(descriptor, size, step)
            size += step
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            step //= 2


def jump_clock(stage: Stage, world: World) -> bool:
    """Let the agent's wall clock jump by hours; replace the agent by one whose clock can."""
    library = fake_clock_library()
    if library is None or world.user is not None or not world.layout.bell.exists():
        return False
    clock = stage.ground.folder / f"clock-{world.name}"
    set_clock(clock, 0)
    if not has_faked_clock(world) and not start_faked_agent(world, clock, library):
        return False
    jump_s = int(stage.rng.choice((-1, 1)) * stage.rng.uniform(1, 8) * 3600)
    stage.later(stage.rng.uniform(0.3, 1.5), lambda: set_clock(clock, jump_s))
    return True


def has_faked_clock(world: World) -> bool:
    agent = living_agent(world)
    with contextlib.suppress(OSError):
        return agent is not None and b"libfaketime" in Path(f"/proc/{agent.pid}/environ").read_bytes()
    return False


def start_faked_agent(world: World, clock: Path, library: Path) -> bool:
    """Start the agent as the command line does, under libfaketime; False while somebody else starts one."""
    from l2_scheduler.local.locks import exclusive

    signal_agent(world, signal.SIGKILL)
    with exclusive(world.layout.root / "agent.spawn") as descriptor, log_of(world) as log:
        if descriptor is None:
            return False
        subprocess.Popen(
            [sys.executable, "-P", "-m", "ogai.daemons.agent", str(world.home), str(descriptor)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=world.environment(**faked_clock(library, clock)),
            start_new_session=True,
            pass_fds=(descriptor,),
        )
    return True


@contextlib.contextmanager
def log_of(world: World) -> Iterator[int]:
    descriptor = os.open(world.layout.agent_log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
