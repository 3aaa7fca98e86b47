"""The cluster that is meant on this machine: by its name, else the current one."""

import os

from l0_infra.core.store import ogai_home
from l1_podsys import ClusterPlace, place_in

__all__ = ["ClusterPlace", "place_of"]


def place_of(name: str | None = None) -> ClusterPlace:
    """Find a cluster by its name, else the current one; UsageError when there is none."""
    return place_in(ogai_home(os.environ), name)
