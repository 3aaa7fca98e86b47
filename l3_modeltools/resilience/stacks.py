"""Where a process stood: the stacks that faulthandler writes, and which of their frames tell most."""

import re
from dataclasses import dataclass

__all__ = ["Frame", "main_frames", "telling_frames"]

FRAME = re.compile(r'^  File "([^"\n]*)", line (\d+) in (.*)$', re.MULTILINE)
THREAD = re.compile(r"^(?:Current thread|Thread) ", re.MULTILINE)
LIBRARIES = ("/site-packages/", "/dist-packages/", "/lib/python3", "<frozen ")
SHOWN = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """One call."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}"


def main_frames(stacks: str) -> tuple[Frame, ...]:
    """Return the frames of the main thread, the innermost first; faulthandler writes that thread last."""
    last = max((thread.start() for thread in THREAD.finditer(stacks)), default=0)
    return tuple(
        Frame(file=file, line=int(line), function=function)
        for file, line, function in FRAME.findall(stacks[last:])
    )


def telling_frames(stacks: str) -> tuple[Frame, ...]:
    """Return the innermost frame and the innermost ones outside of libraries: where it waits, and who called that."""
    frames = main_frames(stacks)
    own = [frame for frame in frames[1:] if not any(library in frame.file for library in LIBRARIES)]
    return (*frames[:1], *own[:SHOWN])
