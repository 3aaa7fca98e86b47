"""MindSpore's own dry run: whether this machine can have it, and if not, what is missing.

`MS_SIMULATION_LEVEL` compiles one rank of many, but for Ascend only: MindSpore 2.10's other backend says "Dryrun is not
supported on CPU device for a distributed job", and the one for Ascend loads CANN's libraries.
"""

from ctypes import CDLL
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from l0_infra.core.errors import UnsatisfiableError

__all__ = ["refuse_mindspore"]

CANN = ("libge_runner.so", "libgraph.so", "libascendcl.so", "libhccl.so")
"""What MindSpore 2.10's backend for Ascend loads of CANN (DT_NEEDED of lib/plugin/libmindspore_ascend.so.2)."""

BY_HAND = (
    "`ogai strategy export STRATEGY --to mindformers` writes what MindFormers runs with MS_SIMULATION_LEVEL=1; its log"
    ' has the "Used peak memory usage (without fragments)"'
)


def refuse_mindspore() -> NoReturn:
    """Raise UnsatisfiableError: what is missing, or on a machine that lacks nothing what is to be done by hand."""
    where = "a dry run with `mindspore`"
    try:
        found = f"MindSpore {version('mindspore')}"
    except PackageNotFoundError:
        expected = "MindSpore, and CANN for its backend for Ascend: it simulates no other device"
        raise UnsatisfiableError(
            where, found="no MindSpore", expected=expected, hint="`--with torch` needs neither"
        ) from None
    missing = [name for name in CANN if not _loads(name)]
    if missing:
        raise UnsatisfiableError(
            where,
            found=f"{found} without {', '.join(missing)}",
            expected="CANN, whose libraries they are: MindSpore simulates ranks on its backend for Ascend only",
            hint="`--with torch` needs no CANN",
        )
    raise UnsatisfiableError(
        where, found=f"{found} with CANN", expected="its simulation to be started by hand", hint=BY_HAND
    )


def _loads(name: str) -> bool:
    try:
        CDLL(name)
    except OSError:
        return False
    return True
