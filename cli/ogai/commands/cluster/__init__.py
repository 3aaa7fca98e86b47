"""`ogai cluster`: nodes become a cluster, and stay one; each command is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["cluster"]

HERE = "ogai.commands.cluster"

TABLE = {
    "check": Entry(target=f"{HERE}.check:check", help="Whether the nodes are fit for work."),
}

EPILOG = """\b
Examples:
  ogai cluster check --cluster pod.yaml         within seconds, what is wrong and how to mend it
"""

cluster = LazyGroup("cluster", TABLE, help="Clusters: bring them up, keep them well.", epilog=EPILOG)
