"""`ogai cluster drain` and `undrain`: nodes out of work, with an owner and a reason."""

import click

from ogai.commands.cluster.arguments import ask_option, cluster_option, password_of
from ogai.render import Output, emit, output_option

__all__ = ["drain", "undrain"]

EPILOG_DRAIN = """\b
Examples:
  ogai cluster drain n[07-08] --reason "power supply is swapped"

What runs there goes on to its end; nothing new starts. A drain of `ogai cluster check` is taken over, another's is
kept as it is.
"""

EPILOG_UNDRAIN = """\b
Examples:
  ogai cluster undrain n[07-08]
  ogai cluster undrain n09 --owner gate   drained by a check, and mended

Exit code 3: another owner drained one of the nodes, and none is given back.
"""


@click.command(epilog=EPILOG_DRAIN)
@click.argument("nodes", metavar="NODESET")
@cluster_option
@click.option("--reason", required=True, help="Why, for who finds the node drained.")
@click.option("--owner", help="Who may lift it; else the account that asks.")
@ask_option
@output_option
def drain(
    nodes: str, cluster: str | None, reason: str, owner: str | None, ask_sudo_password: bool, output: Output
) -> None:
    """Let nodes finish what they run and take nothing new."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.drains import print_changes

    password = password_of(ask=ask_sudo_password)
    emit(
        flow.drain(nodes, cluster=cluster, reason=reason, owner=owner, password=password),
        output,
        print_changes,
    )


@click.command(epilog=EPILOG_UNDRAIN)
@click.argument("nodes", metavar="NODESET")
@cluster_option
@click.option("--owner", help="Whose drain it is; else that of the account that asks.")
@ask_option
@output_option
def undrain(
    nodes: str, cluster: str | None, owner: str | None, ask_sudo_password: bool, output: Output
) -> None:
    """Let nodes take work again that you drained."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.drains import print_changes

    password = password_of(ask=ask_sudo_password)
    emit(flow.undrain(nodes, cluster=cluster, owner=owner, password=password), output, print_changes)
