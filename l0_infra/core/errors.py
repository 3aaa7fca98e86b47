"""The one error tree: every failure a person may see says where, what was found, what was expected, and the mend.

OgaiError                     5   anything below; never raised bare
├── DocumentError             2   a document is bad; carries all faults at once
├── UsageError                2   a command or call was used wrongly
├── UnsatisfiableError        3   well formed, but cannot be had here
├── FactsMissingError         4   what must be known first is not known
├── RemoteError               5   a host or a command on it failed
├── EngineError               5   a scheduler engine or its store failed
├── MachineError              5   this machine refused: no space, no memory, no file handle
├── UnhealthyError            6   a judgement came out bad
└── InterruptedByUser       130   a person ended it; what was done so far stands and is resumed by the next run

The number is the exit code of the command line. An exception outside this tree is a defect of ogai itself: 70.
"""

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

__all__ = [
    "DocumentError",
    "EngineError",
    "FactsMissingError",
    "Fault",
    "FieldPath",
    "InterruptedByUser",
    "MachineError",
    "OgaiError",
    "RemoteError",
    "UnhealthyError",
    "UnsatisfiableError",
    "UsageError",
    "describe_os_error",
    "printable",
]

FieldPath = tuple[str | int, ...]
"""Leads from a document's root to a value: `("nodes", 2, "address")`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One thing wrong in one place of a document.

    `where` is `file:line:column` once the document was read from text, else the path in words.
    """

    path: FieldPath
    found: str
    expected: str
    hint: str = ""
    where: str = ""

    def __str__(self) -> str:
        place = self.where or dotted(self.path)
        return printable(f"{place}: found {self.found}; expected {self.expected}")


class OgaiError(Exception):
    """A failure told in one sentence: `where: found …; expected …`, a `hint`, and whether a `retry` makes sense."""

    exit_code: ClassVar[int] = 5

    def __init__(self, where: str, *, found: str, expected: str, hint: str = "", retry: bool = False) -> None:
        super().__init__(where, found, expected)
        self.where = where
        self.found = found
        self.expected = expected
        self.hint = hint
        self.retry = retry

    def __str__(self) -> str:
        return printable(f"{self.where}: found {self.found}; expected {self.expected}")


class DocumentError(OgaiError):
    """One or more faults in one document; `faults` holds them in the order of the text."""

    exit_code = 2

    def __init__(self, where: str, faults: Sequence[Fault], *, hint: str = "") -> None:
        first = faults[0]
        super().__init__(
            first.where or where, found=first.found, expected=first.expected, hint=hint or first.hint
        )
        self.document = where
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


class UsageError(OgaiError):
    """A command or a call was used wrongly."""

    exit_code = 2


class UnsatisfiableError(OgaiError):
    """The wish is well formed, but nothing here can ever satisfy it."""

    exit_code = 3


class FactsMissingError(OgaiError):
    """What must be known first is not known."""

    exit_code = 4


class RemoteError(OgaiError):
    """A host, or a command on it, failed."""


class EngineError(OgaiError):
    """A scheduler engine or its store failed."""


class MachineError(OgaiError):
    """This machine refused what any program needs: disk space, memory, a file handle."""


class UnhealthyError(OgaiError):
    """A judgement came out bad."""

    exit_code = 6


class InterruptedByUser(OgaiError):
    """A person pressed Ctrl-C, or stopped from elsewhere what was waited for."""

    exit_code = 130


AS_FOUND: Mapping[int | None, str] = {
    errno.EEXIST: "something there already",
    errno.EISDIR: "a directory",
    errno.ENOTDIR: "a file where a directory must be",
}
"""What the system's own words do not say as something that was found."""


def describe_os_error(error: OSError) -> str:
    """Say what the system found, to stand after the word `found`: `no such file or directory`."""
    said = error.strerror or str(error) or "trouble"
    return AS_FOUND.get(error.errno, said.lower())


def dotted(path: FieldPath) -> str:
    """Write a path as people do: `nodes[2].address`; the root is `document`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "document"


def printable(text: str) -> str:
    """Write what steers a terminal (escapes, bidirectional marks, a carriage return) as `\\x1b`; lines stay lines."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else sign.encode("unicode_escape").decode()
        for sign in text
    )
