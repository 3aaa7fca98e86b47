"""Where a cluster's records lie on this machine."""

import os
from pathlib import Path

from l0_infra.core.documents import render_json
from l0_infra.core.errors import EngineError
from l0_infra.core.store import ogai_home, prepare_home, save_file
from l1_podsys.schemas import ClusterState

__all__ = ["cluster_folder", "save_state"]


def cluster_folder(name: str) -> Path:
    """Return the folder of a cluster under OGAI_HOME, which is made."""
    folder = prepare_home(ogai_home(os.environ)) / "clusters" / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise EngineError(str(folder), found=str(error), expected="a folder that can be made") from error
    return folder


def save_state(state: ClusterState) -> None:
    """Save what was observed of a cluster."""
    save_file(cluster_folder(state.name) / "state.json", render_json(state).encode())
