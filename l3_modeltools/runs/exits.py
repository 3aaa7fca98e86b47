"""What the exit codes of a run's ranks, of their supervisor and of its job ask of whoever sees them."""

__all__ = ["FINAL", "GAVE_UP", "REFUSALS", "RESTART", "SIGNALLED", "is_final"]

REFUSALS = (2, 3, 4)
"""A bad document, what cannot be had, facts that are missing."""

GAVE_UP = 6
"""Of a supervisor that tries no more."""

RESTART = 75
"""Asks for another start (sysexits' EX_TEMPFAIL): a rank was lost, the run goes back, the job is to begin anew."""

SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a program."""

FINAL = (*REFUSALS, GAVE_UP)
"""Failures after which nothing starts again by itself."""


def is_final(exit_code: int) -> bool:
    """Say whether a run stays ended: it is done, refused or given up, or somebody stopped it by a signal."""
    return exit_code in (0, *FINAL) or exit_code > SIGNALLED
