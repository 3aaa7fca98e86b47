"""The standard streams as a command may find them: closed, or of an encoding too small for what it prints."""

import io
import os
import sys
from typing import Literal, TextIO

__all__ = ["mend_streams"]


def mend_streams() -> None:
    """Lead closed streams to nothing, and have characters that the encoding lacks written as escapes.

    A closed descriptor would be given to the next file opened, which would then get what was meant for the terminal.
    """
    for number in range(3):
        if not is_open(number):
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or text_stream(0, "r")
    sys.stdout = sys.stdout or text_stream(1, "w")
    sys.stderr = sys.stderr or text_stream(2, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def text_stream(descriptor: int, mode: Literal["r", "w"]) -> TextIO:
    return open(descriptor, mode, encoding="utf-8", closefd=False)
