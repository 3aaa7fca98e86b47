"""The process that runs the queue of this machine: `from ogai.agent import probe`."""

from ogai.flows.agent import AgentReport, probe, stop

__all__ = [
    "AgentReport",
    "probe",
    "stop",
]
