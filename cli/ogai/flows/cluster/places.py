"""Which cluster is meant, and what checks keep of it beside its document."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from l0_infra.core.documents import parse_document, render_json
from l0_infra.core.errors import OgaiError
from l0_infra.core.store import load_file, save_file
from l1_podsys import members_of
from l1_podsys.schemas import Cluster, ClusterState, NodeState
from ogai.flows.cluster.place import place_of, read_cluster

__all__ = ["cluster_folder", "save_state", "wanted_cluster"]

CURRENT = "current"


def wanted_cluster(cluster: str | Path | None) -> Cluster:
    """Read the document of a cluster: a file or the name of one kept here, or (None or `current`) the current one.

    Raises UsageError when there is no current cluster, DocumentError for a bad document.
    """
    if cluster is None or str(cluster) == CURRENT:
        return place_of().load()
    return read_cluster(cluster)


def cluster_folder(name: str) -> Path:
    """Return the folder of a cluster under OGAI_HOME, which is made."""
    place = place_of(name)
    place.prepare()
    return place.folder


def save_state(cluster: Cluster, state: ClusterState) -> ClusterState:
    """Save what was observed, beside what is known of nodes that were not looked at, and return the whole."""
    path = cluster_folder(cluster.name) / "state.json"
    order = [member.name for member in members_of(cluster)]
    whole = msgspec.structs.replace(state, nodes=_merged(_known(path), state.nodes, order))
    save_file(path, render_json(whole).encode())
    return whole


def _known(path: Path) -> tuple[NodeState, ...]:
    """Return the nodes of the last observation; one that cannot be read is as good as none."""
    try:
        return parse_document(load_file(path).decode(), source=str(path), expect=ClusterState).nodes
    except (OSError, OgaiError, UnicodeDecodeError):
        return ()


def _merged(
    known: Sequence[NodeState], found: Sequence[NodeState], order: Sequence[str]
) -> tuple[NodeState, ...]:
    by_name = {node.name: node for node in (*known, *found)}
    return tuple(by_name[name] for name in order if name in by_name)
