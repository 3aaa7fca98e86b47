"""One command line in a process of its own, forked off, with bounded processor time and memory."""

import os
import resource
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ogai.main import main

__all__ = ["CPU_S", "MEMORY_BYTES", "Said", "say"]

CPU_S = 30
MEMORY_BYTES = 4 * 2**30
"""Address space, of which the interpreter and its libraries take a part."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """How a command ended; a negative code is the signal that killed it."""

    code: int
    out: str
    err: str
    seconds: float
    """Of a processor."""


def say(words: Sequence[str], folder: Path) -> Said:
    """Run `ogai` with these words in `folder`. Forked, for an interpreter takes longer to start than most commands."""
    out, err = folder / "stdout", folder / "stderr"
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _be(words, folder, out, err)
    _, status, used = os.wait4(child, 0)
    return Said(
        code=os.waitstatus_to_exitcode(status),
        out=out.read_text("utf-8", "replace"),
        err=err.read_text("utf-8", "replace"),
        seconds=used.ru_utime + used.ru_stime,
    )


def _be(words: Sequence[str], folder: Path, out: Path, err: Path) -> None:
    code = 99
    try:
        os.chdir(folder)
        os.environ.update(OGAI_HOME=str(folder / "home"), OGAI_DEBUG="1", NO_COLOR="1")
        for descriptor, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        code = main(words)
    except BaseException:  # noqa: BLE001  a child must not go on as its parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
