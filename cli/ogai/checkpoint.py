"""Checkpoints of this person's runs: `from ogai.checkpoint import poll`."""

from ogai.flows.checkpoint import Checkpoint, Compared, diff, poll, verify

__all__ = [
    "Checkpoint",
    "Compared",
    "diff",
    "poll",
    "verify",
]
