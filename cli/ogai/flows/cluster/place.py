"""The cluster that is meant on this machine: by its name, by its document, else the current one."""

import os
from pathlib import Path

from l0_infra.core.documents import read_document
from l0_infra.core.errors import DocumentError
from l0_infra.core.store import ogai_home
from l1_podsys import ClusterPlace, known_names, place_in
from l1_podsys.schemas import Cluster

__all__ = ["ClusterPlace", "place_of", "read_cluster"]


def place_of(name: str | None = None) -> ClusterPlace:
    """Find a cluster by its name, else the current one; UsageError when there is none."""
    return place_in(ogai_home(os.environ), name)


def read_cluster(wanted: str | Path) -> Cluster:
    """Read a document from a file, or (where there is no such file) that of a cluster kept here under this name.

    Raises DocumentError for a bad document, and for what is neither.
    """
    file, kept = Path(wanted), known_names(ogai_home(os.environ))
    if not file.exists() and str(wanted) in kept:
        return place_of(str(wanted)).load()
    try:
        return read_document(file, expect=Cluster)
    except DocumentError as error:
        if file.exists() or error.hint or not kept:
            raise
        hint = f"clusters that are kept here, by name: {', '.join(kept)}"
        raise DocumentError(error.document, error.faults, hint=hint) from error
