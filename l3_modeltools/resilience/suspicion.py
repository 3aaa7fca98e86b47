"""Whether a log tells of a fault that nobody has described yet: by the words that programs use for trouble."""

import re
from collections.abc import Sequence

from l3_modeltools.resilience.exceptions import bare, without_quotes

__all__ = ["find_suspicious", "is_suspicious"]

WORDS = (
    *("abnormal", "abort", "aborted", "aborting", "broken", "compromised", "corrupt", "corrupted"),
    *("corruption", "crash", "crashed", "denied", "died", "disconnected", "failed", "failing", "fails"),
    *("failure", "fatal", "fault", "faulted", "hung", "illegal", "inconsistent", "invalid", "mismatch"),
    *("panic", "panicked", "refused", "segfault", "severe", "stuck", "traceback", "uncaught"),
    *("uncontained", "uncorrectable", "unexpected", "unhandled", "unreachable", "unrecoverable", "wrong"),
)

PHRASES = (
    *("cannot", "can't", "can not", "could not", "couldn't", "unable", "not able", "not enough", "not found"),
    *(
        "not permitted",
        "not responding",
        "no space",
        "no such",
        "does not exist",
        "out of memory",
        "too many",
    ),
    *(
        "timed out",
        "times out",
        "time out",
        "closed by",
        "is down",
        "went down",
        "connection lost",
        "lost connection",
    ),
    *("core dumped", "segmentation fault", "terminate called", "killed process", "killed by", "was killed"),
    *(
        "got killed",
        "been killed",
        "were killed",
        "an error",
        "internal error",
        "unknown error",
        "with error",
    ),
)

NAMES = (
    r"\b\w*(?:Error|Exception)\b",
    r"\b(?:ABORT|CRITICAL|ERROR|FATAL|PANIC|NCCL WARN)\b",
    r"\bSIG(?:ABRT|BUS|FPE|HUP|ILL|INT|KILL|SEGV|TERM)\b",
    r"^\W{0,3}[EF]\d{3,4} \d\d:",  # the level of a line as glog writes it
)
"""Told apart by their capitals."""

SHAPES = (
    r"\b(?:errors?|bug|hang) ?[:!\]]",
    r"(?<![a-z] )(?<!-)\berror\b(?!-)",  # no `max error`, which is a measure
    r"\bi/o error\b",
    r"\btimeout\b(?![=(])",
    r"^\W{0,3}killed\W{0,3}$",
    r"\boom-kill",
    r"\bexit(?:ed)?(?:[ -](?:code|status|with))*\W{0,3}-?[1-9]",
    r"\bsignal\W{0,2}\d",
    r"\berrno\b",
)

LIVED_THROUGH = (
    r"\b(?:debug|info|notice|trace)\b\W|\w*warning:",  # the level of a line
    r"\b(?:corrected|ignored|ignoring|recovered|retried|retry|retrying|skipped|skipping)\b",
    r"\b(?:0|no|zero|without(?: any)?) (?:\w+ )?(?:errors?|exceptions?|failures?|faults?|timeouts?)\b",
    r"\b(?:errors?|failed|failures?|timeouts?)\W{1,3}0\b",
)

ALARM = re.compile(f"{'|'.join(NAMES)}|(?i:\\b(?:{'|'.join((*WORDS, *PHRASES))})\\b|{'|'.join(SHAPES)})")
EASE = re.compile(f"(?i:{'|'.join(LIVED_THROUGH)})")

NEAR = 50
"""Lines so near before the last suspicious one belong to the same trouble."""


def is_suspicious(line: str) -> bool:
    """Say whether a line tells of trouble that the program neither lived through nor denies."""
    text = bare(line)
    return ALARM.search(text) is not None and EASE.search(text) is None


def find_suspicious(lines: Sequence[str]) -> int | None:
    """Return the number, from 0, of the first line of the last trouble that a log tells of; None: it tells of none."""
    found = [number for number, line in enumerate(without_quotes(lines)) if is_suspicious(line)]
    return next((number for number in found if number >= found[-1] - NEAR), None)
