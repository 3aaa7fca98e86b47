"""How `ogai agent status` looks to a person."""

import time

from ogai.flows.agent import AgentReport
from ogai.render.moment import ago, local_time
from ogai.render.table import print_fields

__all__ = ["describe_agent", "print_agent"]


def print_agent(report: AgentReport) -> None:
    """Print it on stdout."""
    print_fields(describe_agent(report, time.time()))


def describe_agent(report: AgentReport, now: float) -> list[tuple[str, str]]:
    """Return names and values."""
    fields = [("agent", "not running; the next job starts it")]
    if report.alive and report.started_at is not None:
        fields = [
            ("agent", f"running, pid {report.pid}"),
            ("version", report.version or ""),
            ("since", f"{local_time(report.started_at, now)} ({ago(now - report.started_at)})"),
        ]
    waiting = report.open_jobs - report.running_jobs
    trouble = [("trouble", report.trouble)] if report.trouble else []
    jobs = ("jobs", f"{report.running_jobs} running, {waiting} waiting")
    return [*fields, jobs, *trouble, ("log", report.log)]
