"""Where data sets are kept, and what a person means by naming one."""

import os
from pathlib import Path

from l0_infra.core.store import ogai_home, prepare_home
from l3_modeltools import find_dataset

__all__ = ["cpus", "datasets_folder", "manifest_of"]


def datasets_folder() -> Path:
    """The folder of data sets, `OGAI_HOME/datasets`. Raises EngineError for a home that cannot be used."""
    return prepare_home(ogai_home(os.environ)) / "datasets"


def manifest_of(reference: str) -> Path:
    """Find the manifest of a data set by name or path. Raises UnsatisfiableError, with the nearest name."""
    return find_dataset(reference, home=ogai_home(os.environ), base=Path.cwd())


def cpus() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))
