"""Reads what a program of ours prints on a node; whatever else stands there is that node's answer, and no crash."""

from collections.abc import Mapping
from math import isfinite

import msgspec

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Outcome

__all__ = ["ADD_TORCH", "GARBLED", "NO_TORCH", "Told", "garbled", "lacks_torch", "read_told", "speed_of"]

GARBLED = "an answer that cannot be read"
SHOWN = 120

NO_TORCH = "Python has no torch there, with which this is measured"
ADD_TORCH = "write `runtime: {requirements: [torch]}` into the cluster document, then: ogai cluster up FILE"

Told = Mapping[str, float | str | tuple[float, ...] | None]
"""One JSON object: speeds and words by name."""


def read_told(outcome: Outcome) -> Told:
    """Read the last line that was printed. Raises RemoteError that says what stands there in the place of it."""
    kind = dict[str, float | str | tuple[float, ...] | None]
    try:
        return msgspec.json.decode(_last_line(outcome), type=kind)
    except msgspec.DecodeError:
        raise garbled(outcome, "one line of JSON") from None


def garbled(outcome: Outcome, expected: str) -> RemoteError:
    """Make the error that says what stands in the place of what was expected."""
    last = _last_line(outcome)
    said = repr(last if len(last) <= SHOWN else f"{last[:SHOWN]}…") if last else "nothing"
    return RemoteError(outcome.target, found=f"{GARBLED}: {said}", expected=expected, retry=True)


def _last_line(outcome: Outcome) -> str:
    lines = [line for line in outcome.stdout.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def lacks_torch(said: str) -> bool:
    """Whether a program of ours ended for want of torch, which is optional, and not of something else."""
    return "ModuleNotFoundError" in said and "torch" in said


def speed_of(value: object) -> float | None:
    """Return a speed, a number above zero; None for what can be none."""
    return value if isinstance(value, float) and isfinite(value) and value > 0 else None
