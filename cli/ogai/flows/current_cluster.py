"""Which cluster is the current one, for who submits work and for `ogai doctor`: a look at two small files."""

from collections.abc import Mapping

from l0_infra.core.store import ogai_home
from l1_podsys import ClusterSummary, current_name, load_summary

__all__ = ["current_cluster"]


def current_cluster(environ: Mapping[str, str]) -> ClusterSummary | None:
    """Return the current cluster; None where there is none, or it is no longer kept here. Never fails."""
    try:
        home = ogai_home(environ)
        name = current_name(home)
        return load_summary(home / "clusters" / name) if name else None
    except OSError:
        return None
