"""Staying with a run until it ends; Ctrl-C leaves it running and says how to come back."""

import sys

from l0_infra.core.errors import InterruptedByUser, UnhealthyError
from ogai.flows import train as flow
from ogai.render.train.ended import print_ended

__all__ = ["follow"]


def follow(run_id: str) -> None:
    """Print what the run prints until its end, then how it ended. Raises UnhealthyError unless it completed."""
    stdout = sys.stdout.buffer
    try:
        for piece in flow.output(run_id, follow=True):
            stdout.write(piece)
            stdout.flush()
        run = flow.wait(run_id)
    except KeyboardInterrupt:
        raise InterruptedByUser(
            f"run {run_id}",
            found="Ctrl-C",
            expected="its end",
            hint=f"it goes on without you; come back: ogai train logs -f {run_id}",
        ) from None
    if run.state != "COMPLETED":
        raise UnhealthyError(
            f"run {run_id}",
            found=f"{run.state}: {run.reason}",
            expected="COMPLETED",
            hint=f"ogai train show {run_id}; go on from the newest checkpoint: ogai train resume {run_id}",
        )
    print_ended(run)
