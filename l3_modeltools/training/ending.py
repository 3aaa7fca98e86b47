"""A rank's last word after a failure: what it says of an exception, and whether that was another rank's end."""

import re
import sys
import traceback

from l0_infra.core.errors import OgaiError, UnhealthyError
from l3_modeltools.resilience import Heart, LastWord, section_of
from l3_modeltools.runs import RESTART

__all__ = ["GaveUp", "describe_error", "is_peer_lost", "tell_error"]

FAILED = 1
"""Exit code of a rank that a failure outside of the error tree ended."""

LOST = re.compile(
    r"connection (closed|reset|refused)|broken pipe|socket closed|remote process|gloo/transport",
    re.IGNORECASE,
)
"""What gloo, NCCL and the store say when the other end is gone."""


NETWORK = frozenset(["DistNetworkError", "DistStoreError"])
"""torch's own classes for it, by name: this is loaded before torch is."""


class GaveUp(UnhealthyError):
    """The run ends for good, because of a fault that is reported already."""

    def __init__(self, found: str, *, expected: str, hint: str, fault_id: int | None) -> None:
        super().__init__("training", found=found, expected=expected, hint=hint)
        self.fault_id = fault_id


def is_peer_lost(error: BaseException) -> bool:
    """Say whether an exception came out of a collective because another rank, or its store, went away.

    gloo raises a bare RuntimeError, also out of a backward pass, so that its words have to tell.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    of_torch = isinstance(error, RuntimeError) and (kinds & NETWORK or LOST.search(str(error)))
    return bool(of_torch)


def describe_error(error: BaseException, heart: Heart) -> LastWord:
    """Put an exception into a last word, with where `heart` was."""
    lost, ours = is_peer_lost(error), isinstance(error, OgaiError)
    return LastWord(
        kind="peer_lost" if lost else "error",
        exit_code=RESTART if lost else _exit_code(error),
        step=heart.step,
        section=section_of(heart.phase),
        exception=f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins."),
        text=_sentence(error),
        traceback="" if ours else "".join(traceback.format_exception(error)),
        retry=error.retry if isinstance(error, OgaiError) else True,
        fault_id=error.fault_id if isinstance(error, GaveUp) else None,
    )


def tell_error(error: BaseException, *, rank: int) -> None:
    """Write an exception to stderr: one of the error tree as a sentence, a lost peer as one line, others whole."""
    if isinstance(error, OgaiError):
        print(f"rank {rank}: {_sentence(error)}", file=sys.stderr, flush=True)
    elif is_peer_lost(error):
        print(f"rank {rank}: another rank went away: {error}", file=sys.stderr, flush=True)
    else:
        traceback.print_exception(error)


def _exit_code(error: BaseException) -> int:
    if isinstance(error, OgaiError):
        return error.exit_code
    asked = error.code if isinstance(error, SystemExit) else None
    return asked if isinstance(asked, int) and asked else FAILED


def _sentence(error: BaseException) -> str:
    hint = f"\nhint: {error.hint}" if isinstance(error, OgaiError) and error.hint else ""
    return f"{error}{hint}"
