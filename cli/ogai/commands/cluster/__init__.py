"""`ogai cluster`: nodes become a cluster, and stay one; each command is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["cluster"]

HERE = "ogai.commands.cluster"

TABLE = {
    "up": Entry(target=f"{HERE}.up:up", help="Make hosts a cluster, or bring back what has drifted."),
    "check": Entry(target=f"{HERE}.check:check", help="Whether the nodes are fit for work."),
    "drain": Entry(target=f"{HERE}.drain:drain", help="Let nodes take no new work."),
    "undrain": Entry(target=f"{HERE}.drain:undrain", help="Let nodes take work again that you drained."),
}

EPILOG = """\b
Examples:
  ogai cluster up pod.yaml                      from bare hosts to a cluster; again: only what is missing
  ogai cluster check --cluster pod.yaml         within seconds, what is wrong and how to mend it
  ogai cluster drain n07 --cluster pod.yaml --reason "power supply is swapped"
"""

cluster = LazyGroup("cluster", TABLE, help="Clusters: bring them up, keep them well.", epilog=EPILOG)
