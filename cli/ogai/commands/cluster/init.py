"""`ogai cluster init`: a few questions, a look at the hosts, a document."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from l0_infra.core.errors import UsageError
from ogai.commands.cluster.saved import force_option, refuse_overwriting, save_document, to_option

if TYPE_CHECKING:
    from ogai.flows.cluster import Wished

__all__ = ["init"]

EPILOG = """\b
Examples:
  ogai cluster init                                      asks
  ogai cluster init --hosts gpu[01-16] --yes             takes what would be offered
  ogai cluster init --hosts n[1-4] --addresses 10.0.0.[11-14] --ssh-user ops --head n1 --storage n1:/srv/shared --yes
  ogai cluster init --hosts n[1-4] --storage /lustre --no-look --to pod.yaml --yes

--storage: a /path that all hosts share already; host:/path that is served by NFS, from a host of the cluster or
another one (mounted at /shared, or host:/path@/mountpoint); none. The look at the hosts takes one round trip each
and changes nothing; classes of equal nodes and networks are proposed from it.
"""

QUESTIONS = {
    "hosts": "Hosts, as a node set such as node[01-16]",
    "head": "Which of them leads",
    "storage": "Shared files: /path that is shared already, host:/path for NFS, or none",
    "users": "People with an account, such as ada,bob",
}


@click.command(epilog=EPILOG)
@click.option("--name", metavar="NAME", help="The cluster's name.  [default: pod1]")
@click.option("--hosts", metavar="NODESET", help="Names of the hosts.")
@click.option("--addresses", metavar="NODESET", help="As many addresses; else names are resolved.")
@click.option("--ssh-user", metavar="USER", help="Who logs in; else ~/.ssh/config says.")
@click.option("--ssh-key", metavar="FILE", help="Private key; else ~/.ssh/config says.")
@click.option("--ssh-known-hosts", metavar="FILE", help="File with the hosts' keys; else ssh's own.")
@click.option("--head", metavar="HOST", help="The host that leads.")
@click.option(
    "--head-computes/--head-only", default=None, help="Whether it computes too; up to 8 hosts it does."
)
@click.option("--storage", metavar="WHERE", help="Shared files: /path, host:/path, or none.")
@click.option("--users", metavar="NAMES", help="People with an account.")
@click.option("--look/--no-look", default=True, help="Look at the hosts over ssh.")
@to_option
@force_option
@click.option("-y", "--yes", is_flag=True, help="Take what is offered for what is not given.")
def init(
    name: str | None,
    hosts: str | None,
    addresses: str | None,
    ssh_user: str | None,
    ssh_key: str | None,
    ssh_known_hosts: str | None,
    head: str | None,
    head_computes: bool | None,
    storage: str | None,
    users: str | None,
    look: bool,
    to: Path | None,
    force: bool,
    yes: bool,
) -> None:
    """Begin a cluster document: NAME.yaml, unless --to says otherwise."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.init import tell_looked
    from ogai.render.node.looking import looking

    path = to or Path(f"{name or 'pod1'}.yaml")
    refuse_overwriting(path, force=force)
    _refuse_pipe(yes=yes, hosts=hosts, head=head, storage=storage)
    wished = flow.Wished(
        name=name or "pod1",
        hosts=hosts or click.prompt(QUESTIONS["hosts"], err=True),
        addresses=addresses,
        head=head,
        head_computes=head_computes,
        ssh_user=ssh_user,
        ssh_key=ssh_key,
        ssh_known_hosts=ssh_known_hosts,
        storage=storage,
        users=users,
    )
    wished = wished if yes else _asked(wished)
    with looking("looked at") as done:
        described = flow.describe(wished, look=look, on_looked=done)
    tell_looked(described)
    save_document(path, described.document, force=force)


def _refuse_pipe(*, yes: bool, **needed: str | None) -> None:
    """Raise UsageError that names all flags that are missing where nobody can be asked."""
    asked = {name: value for name, value in needed.items() if name == "hosts" or not yes}
    missing = [f"--{name}" for name, value in asked.items() if value is None]
    if missing and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "ogai cluster init",
            found="no terminal to ask on",
            expected=f"{', '.join(missing)} on the command line",
            hint="" if yes else "--yes takes what would be offered for all but --hosts",
        )


def _asked(wished: "Wished") -> "Wished":
    """Ask for what was not given, with answers that are offered."""
    from ogai.flows import cluster as flow

    offer = flow.offered(wished.hosts)
    for field in ("head", "storage", "users"):
        if getattr(wished, field) is None and sys.stdin.isatty():
            answer = click.prompt(QUESTIONS[field], default=getattr(offer, field), err=True)
            wished = replace(wished, **{field: answer})
    return wished
