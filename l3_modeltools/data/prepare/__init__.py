"""Files of text become a data set: read, deduplicated, encoded, written as shards with a manifest.

The face is resolved on first use, so that a command's help loads no numpy.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.data.prepare.prepare import Prepared, prepare_dataset
    from l3_modeltools.data.prepare.progress import Progress, Stage

__all__ = ["Prepared", "Progress", "Stage", "prepare_dataset"]

HOMES = {
    "Prepared": "prepare",
    "Progress": "progress",
    "Stage": "progress",
    "prepare_dataset": "prepare",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
