"""The Python API of the whole toolchain; the command line is a thin face over the same flows.

`import ogai; ogai.job.submit(…)` imports what it needs on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ogai.version import __version__

if TYPE_CHECKING:
    from ogai.flows import checkpoint, data, device, job, train

__all__ = ["__version__", "checkpoint", "data", "device", "job", "train"]

FLOWS = frozenset({"checkpoint", "data", "device", "job", "train"})


def __getattr__(name: str) -> object:
    if name not in FLOWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"ogai.flows.{name}")


def __dir__() -> list[str]:
    return __all__
