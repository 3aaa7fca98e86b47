"""Why a node takes no work, and whose wish that is, in the one line of text that Slurm keeps for it."""

import re
from dataclasses import dataclass

from l0_infra.core.errors import UsageError

__all__ = ["Drain", "parse_drain", "plain_reason", "render_drain"]

OWNER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}")
TEXT = re.compile(r"ogai:(?P<owner>\S+) (?P<reason>.*) \((?P<by>[^()\s]+), (?P<at>[0-9T:-]+Z)\)", re.DOTALL)
LONGEST = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class Drain:
    """Who wants a node out of work, and why."""

    owner: str
    """Who may lift it: a person, `gate` for the checks, `upgrade` and the like for what works on nodes."""
    reason: str
    by: str = ""
    """The account that set it, and `at` when, in UTC; empty for a drain that ogai did not set."""
    at: str = ""
    ours: bool = True
    """Whether ogai set it, for whomever; a drain set by hand has the account that Slurm names as its owner."""


def render_drain(drain: Drain) -> str:
    """Write the text: `ogai:OWNER REASON (ACCOUNT, TIME)`. Raises UsageError for an owner or a reason that is none."""
    if not OWNER.fullmatch(drain.owner):
        raise UsageError("--owner", found=f"`{drain.owner}`", expected="letters, digits, `.`, `_`, `-`, `@`")
    return f"ogai:{drain.owner} {plain_reason(drain.reason)} ({drain.by or 'ogai'}, {drain.at})"


def plain_reason(text: str) -> str:
    """Write a reason as Slurm can keep it: one line without quotes, brackets and what steers a terminal.

    Raises UsageError when nothing is left of it.
    """
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    reason = " ".join(printable.translate(str.maketrans("[]\"'", "()``")).split())
    if not reason:
        raise UsageError("--reason", found="nothing", expected="why the nodes should take no work")
    return f"{reason[: LONGEST - 1]}…" if len(reason) > LONGEST else reason


def parse_drain(reason: str, reason_by: str = "") -> Drain:
    """Read the reason that Slurm keeps of a drained node; one set by hand belongs to who set it."""
    match = TEXT.fullmatch(reason)
    if match is None:
        return Drain(owner=reason_by or "unknown", reason=reason, ours=False)
    return Drain(owner=match["owner"], reason=match["reason"], by=match["by"], at=match["at"])
