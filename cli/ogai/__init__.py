"""The Python API of the whole toolchain; the command line is a thin face over the same flows.

One module for each noun: `from ogai.train import submit`, or `import ogai; ogai.train.submit(…)`, which imports what it
needs on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ogai.version import __version__

if TYPE_CHECKING:
    from ogai import agent, checkpoint, cluster, data, device, job, lab, node, schema, strategy, train

__all__ = [
    "__version__",
    "agent",
    "checkpoint",
    "cluster",
    "data",
    "device",
    "job",
    "lab",
    "node",
    "schema",
    "strategy",
    "train",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return __all__
