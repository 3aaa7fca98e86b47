"""The agent of this person's engine: whether it lives, what it has to do, and how it is told to leave."""

import msgspec

from l2_scheduler.schemas import ACTIVE_STATES, FINAL_STATES
from ogai.flows.engine import open_engine

__all__ = ["AgentReport", "probe", "stop"]


class AgentReport(msgspec.Struct, frozen=True, kw_only=True):
    """The agent, or that there is none; times are seconds since the epoch."""

    alive: bool
    pid: int | None
    version: str | None
    started_at: float | None
    open_jobs: int
    running_jobs: int
    log: str
    trouble: str | None


def probe() -> AgentReport:
    """Look at the agent and its queue; starts nothing."""
    with open_engine() as engine:
        identity = engine.agent()
        states = [status.state for status in engine.poll()]
        return AgentReport(
            alive=identity is not None,
            pid=identity.pid if identity else None,
            version=identity.version if identity else None,
            started_at=identity.started_at if identity else None,
            open_jobs=sum(state not in FINAL_STATES for state in states),
            running_jobs=sum(state in ACTIVE_STATES for state in states),
            log=str(engine.layout.agent_log),
            trouble=engine.agents_trouble(),
        )


def stop() -> bool:
    """Ask the agent to leave and wait until it has; running jobs go on. False if none was there."""
    with open_engine() as engine:
        return engine.stop_agent()
