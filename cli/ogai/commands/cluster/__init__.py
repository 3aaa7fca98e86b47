"""`ogai cluster`: nodes become a cluster, and stay one; each command is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["cluster"]

HERE = "ogai.commands.cluster"

TABLE = {
    "init": Entry(
        target=f"{HERE}.init:init", help="Begin a cluster document: a few questions, a look at the hosts."
    ),
    "up": Entry(target=f"{HERE}.up:up", help="Make hosts a cluster, or bring back what has drifted."),
    "status": Entry(target=f"{HERE}.status:status", help="How each node was left, and what to do next."),
    "report": Entry(target=f"{HERE}.report:report", help="All that is known of a cluster as one HTML page."),
    "diff": Entry(target=f"{HERE}.diff:diff", help="What is otherwise than wished."),
    "add": Entry(target=f"{HERE}.members:add", help="Add nodes and bring them up."),
    "remove": Entry(target=f"{HERE}.members:remove", help="Take nodes out."),
    "replace": Entry(target=f"{HERE}.members:replace", help="Bring up another machine in a node's place."),
    "upgrade": Entry(target=f"{HERE}.upgrade:upgrade", help="Change a cluster at work, a share at a time."),
    "import": Entry(target=f"{HERE}.lists:import_", help="Make a cluster document of a list of hosts."),
    "export": Entry(target=f"{HERE}.lists:export", help="Write a cluster as an Ansible inventory."),
    "use": Entry(target=f"{HERE}.use:use", help="Have another cluster be the current one."),
    "list": Entry(target=f"{HERE}.list:list_", help="The clusters that are kept here."),
    "down": Entry(target=f"{HERE}.down:down", help="Take a cluster down."),
    "check": Entry(target=f"{HERE}.check:check", help="Whether the nodes are fit for work."),
    "watch": Entry(target=f"{HERE}.watch:watch", help="Check again and again, and drain what fails."),
    "drain": Entry(target=f"{HERE}.drain:drain", help="Let nodes take no new work."),
    "undrain": Entry(target=f"{HERE}.drain:undrain", help="Let nodes take work again that you drained."),
}

EPILOG = """\b
Examples:
  ogai cluster up pod.yaml    make hosts a cluster; again: what is missing
  ogai cluster status         how it stands, and what to do next
  ogai cluster check          in seconds, what is wrong and how to mend it
  ogai cluster drain n07 --reason "power supply is swapped"
"""

cluster = LazyGroup("cluster", TABLE, help="Clusters: bring them up, keep them well.", epilog=EPILOG)
