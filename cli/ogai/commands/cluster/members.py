"""`ogai cluster add|remove|replace`: nodes join, leave, or are put in another's place."""

import click

from ogai.commands.cluster.arguments import DURATION, changing_options, check_option, name_option, password_of
from ogai.render import Output, emit, output_option

__all__ = ["add", "remove", "replace"]

ADD_EPILOG = """\b
Examples:
  ogai cluster add gpu[33-40] --addresses 10.20.0.[33-40]
  ogai cluster add big1 --like big2

Only the new nodes and the controller are looked at and changed, however large the cluster is. The document kept here
gets the nodes; what to write into a file of your own is told.
"""

REMOVE_EPILOG = """\b
Examples:
  ogai cluster remove gpu07
  ogai cluster remove gpu[33-40] --wait 10m
  ogai cluster remove gpu07 --force     it is broken and does not answer

Nodes are drained, and when nothing runs on them any more, what roles left there is stopped and taken away.
"""

REPLACE_EPILOG = """\b
Examples:
  ogai cluster replace gpu07            another machine has its address
  ogai cluster replace gpu07 --address 10.20.0.77

The new machine's host key is shown once, to be compared with its own. With --yes nobody is asked: then it must be known
already, or the command says how to accept it. The node takes no work until it is brought up, by this run or by
`ogai cluster up --limit`.
"""


@click.command(epilog=ADD_EPILOG)
@click.argument("nodes", metavar="NODESET")
@click.option(
    "--addresses", metavar="NODESET", help="As many addresses, in the same order; else names are resolved."
)
@click.option("--like", metavar="NODE", help="A node they are like; else the last group of the document.")
@name_option
@changing_options
@check_option
@output_option
def add(
    nodes: str,
    addresses: str | None,
    like: str | None,
    name: str | None,
    dry_run: bool,
    yes: bool,
    ask_sudo_password: bool,
    check: bool,
    output: Output,
) -> None:
    """Add nodes to a cluster, and bring them up."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.brought import print_brought, tell_edits
    from ogai.render.cluster.work import Agreement

    with Agreement(yes=yes, dry_run=dry_run) as shown:
        brought = flow.add(
            nodes,
            name=name,
            addresses=addresses,
            like=like,
            password=password_of(ask=ask_sudo_password),
            agree=shown.agree,
            on_node=shown.looked,
            on_progress=shown.progress,
            on_wait=shown.waits,
            dry_run=dry_run,
            check=flow.gate if check else None,
        )
    emit(brought, output, print_brought)
    tell_edits(brought)
    flow.raise_for_failed(brought)


@click.command(epilog=REMOVE_EPILOG)
@click.argument("nodes", metavar="NODESET")
@click.option(
    "--wait",
    "wait_s",
    metavar="DURATION",
    type=DURATION,
    default="1h",
    show_default=True,
    help="How long work that runs there is waited for.",
)
@click.option("--force", is_flag=True, help="Wait for nothing, and forget nodes that do not answer.")
@name_option
@changing_options
@output_option
def remove(
    nodes: str,
    wait_s: float,
    force: bool,
    name: str | None,
    dry_run: bool,
    yes: bool,
    ask_sudo_password: bool,
    output: Output,
) -> None:
    """Take nodes out of a cluster."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.brought import print_brought, tell_edits
    from ogai.render.cluster.work import Agreement

    with Agreement(yes=yes, dry_run=dry_run) as shown:
        brought = flow.remove(
            nodes,
            name=name,
            wait_s=wait_s,
            force=force,
            password=password_of(ask=ask_sudo_password),
            agree=shown.agree_text,
            on_node=shown.looked,
            on_progress=shown.progress,
            on_wait=shown.waits,
        )
    emit(brought, output, print_brought)
    tell_edits(brought)
    flow.raise_for_failed(brought)


@click.command(epilog=REPLACE_EPILOG)
@click.argument("node")
@click.option("--address", metavar="ADDRESS", help="Address of the new machine; else that of the old one.")
@name_option
@changing_options
@check_option
@output_option
def replace(
    node: str,
    address: str | None,
    name: str | None,
    dry_run: bool,
    yes: bool,
    ask_sudo_password: bool,
    check: bool,
    output: Output,
) -> None:
    """Bring up another machine in the place of a node."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.brought import print_brought, tell_edits
    from ogai.render.cluster.work import Agreement

    with Agreement(yes=yes, dry_run=dry_run) as shown:
        brought = flow.replace(
            node,
            name=name,
            address=address,
            password=password_of(ask=ask_sudo_password),
            agree=shown.agree,
            accept_key=shown.accept_key,
            on_node=shown.looked,
            on_progress=shown.progress,
            on_wait=shown.waits,
            dry_run=dry_run,
            check=flow.gate if check else None,
        )
    emit(brought, output, print_brought)
    tell_edits(brought)
    flow.raise_for_failed(brought)
