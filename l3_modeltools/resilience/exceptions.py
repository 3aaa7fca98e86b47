"""The exceptions that ended a Python program, as tracebacks in its log tell them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from l3_modeltools.resilience.catalogue import COLOUR

__all__ = ["Raised", "bare", "find_exceptions", "without_quotes"]

PREFIX = re.compile(r"(?:\[[\w ./:,=|-]{1,40}\]:? ?|\(\w[\w ,.=-]{0,40}\) |std(?:err|out): ){0,4}")
"""What launchers put before a line: `[rank3]: `, `[default0]:`, `(trainer pid=7) `, `stderr: `."""

RAISED = re.compile(r"((?:[A-Za-z_]\w{0,60}\.){0,12}[A-Z]\w{0,80})(?:: (.*))?")
TRACEBACK = ("Traceback (most recent call last):", "Original Traceback (most recent call last):")
FRAME, QUOTED = re.compile(r' {1,3}File "'), re.compile(r" {3}")
WRITTEN = re.compile(r" {3,4}\| ")
"""What our trainer puts before the lines that a model wrote; a prefix takes one of the spaces."""

LONGEST_LINE = 2000


@dataclass(frozen=True, kw_only=True, slots=True)
class Raised:
    """An exception: its type, what it said, the number of its line and of its traceback's first line, from 0."""

    kind: str
    text: str
    number: int
    began: int

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


def find_exceptions(lines: Iterable[str]) -> Iterator[Raised]:
    """Yield the exception below each traceback, in order."""
    began: int | None = None
    for number, line in enumerate(lines):
        if began is None and "Traceback" not in line:
            continue
        text = bare(line)
        if text.startswith(TRACEBACK):
            began = number
        elif began is not None and (raised := RAISED.fullmatch(text)):
            yield Raised(kind=raised[1], text=raised[2] or "", number=number, began=began)
            began = None


def without_quotes(lines: Iterable[str]) -> Iterator[str]:
    """Empty the lines in which a traceback quotes the program, or a trainer its model: they tell of nothing yet."""
    quoting = False
    for line in lines:
        if "   | " in line and WRITTEN.match(bare(line)):
            yield ""
            continue
        if not quoting and 'File "' not in line:
            yield line
            continue
        text = bare(line)
        is_frame = FRAME.match(text) is not None
        quoting = is_frame or (quoting and QUOTED.match(text) is not None)
        yield "" if quoting and not is_frame else line


def bare(line: str) -> str:
    """Return a line without colours, prefixes, what a progress bar overwrote, and its end if it is too long."""
    text = COLOUR.sub("", line.rstrip().rpartition("\r")[2][:LONGEST_LINE])
    return PREFIX.sub("", text, count=1)
