"""`ogai node`: what nodes are made of and what is wrong with them; each command is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["node"]

HERE = "ogai.commands.node"

TABLE = {
    "facts": Entry(
        target=f"{HERE}.facts:facts", help="What nodes are made of, asked in one round trip each."
    ),
    "inspect": Entry(target=f"{HERE}.inspect:inspect", help="What is wrong with nodes, and how to mend it."),
    "diff": Entry(target=f"{HERE}.diff:diff", help="How two nodes differ."),
    "collect": Entry(
        target=f"{HERE}.collect:collect", help="All that helps to judge nodes, in one file to send."
    ),
}

EPILOG = """\b
Examples:
  ogai node facts                              this machine
  ogai node facts --hosts gpu[01-64]           hosts as ssh knows them
  ogai node facts n[01-16] --cluster pod.yaml  nodes of a cluster document
  ogai node inspect --hosts gpu[01-64]         what is wrong, how to mend it
  ogai node collect --hosts gpu07              one file for who helps
"""

node = LazyGroup("node", TABLE, help="Nodes: what they are made of and what is wrong.", epilog=EPILOG)
