"""What a prepare and its workers say to each other: a line of JSON for each task and each answer."""

from typing import Literal

import msgspec

from l0_infra.core import errors
from l0_infra.core.errors import DocumentError, Fault, OgaiError

__all__ = ["Answer", "Done", "Failed", "Stage", "Task", "failure_of", "raised"]

Stage = Literal["scan", "learn", "encode"]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """Do one stage of one part, whose first document has the number `first`; learning is done once, for all."""

    stage: Stage
    part: int = 0
    first: int = 0


class Done(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="answer"):
    """A task is done, and its files are in place."""

    part: int
    documents: int = 0
    tokens: int = 0


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="answer"):
    """A task cannot be done: an error of our tree, by its fields."""

    type: str
    where: str
    found: str
    expected: str
    hint: str
    retry: bool
    faults: tuple[Fault, ...] = ()


Answer = Done | Failed


def failure_of(error: OgaiError) -> Failed:
    """Write an error down."""
    return Failed(
        type=type(error).__name__,
        where=error.document if isinstance(error, DocumentError) else error.where,
        found=error.found,
        expected=error.expected,
        hint=error.hint,
        retry=error.retry,
        faults=error.faults if isinstance(error, DocumentError) else (),
    )


def raised(failed: Failed) -> OgaiError:
    """Make the error again."""
    if failed.faults:
        return DocumentError(failed.where, failed.faults, hint=failed.hint)
    kind: type[OgaiError] = getattr(errors, failed.type)
    return kind(
        failed.where, found=failed.found, expected=failed.expected, hint=failed.hint, retry=failed.retry
    )
