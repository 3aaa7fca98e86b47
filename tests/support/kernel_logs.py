"""Kernel logs as a node's answers hold them."""

from l0_infra.facts.bundle import Answer, Answers
from l0_infra.facts.kernel_log import KernelLog, parse_log

__all__ = ["answers", "log_of"]

NOW = 1_778_400_000.0


def answers(log: str, boot: str = "", *, code: int = 0, err: str = "") -> Answers:
    """Return what a node says: its log, and what its clock tells."""
    return {
        "kernel.log": Answer(end="exit", code=code, out=log, err=err),
        "boot-time.txt": Answer(end="exit", code=0, out=boot),
    }


def log_of(log: str, boot: str = "") -> KernelLog:
    """Read a log."""
    return parse_log(answers(log, boot), NOW)
