"""`ogai cluster import` and `export`: lists of hosts in, an Ansible inventory out."""

import sys
from pathlib import Path
from typing import get_args

import click

from l1_podsys import ListForm
from ogai.commands.cluster.arguments import ask_option, name_option, password_of
from ogai.commands.cluster.saved import force_option, save_document, to_option

__all__ = ["export", "import_"]

EPILOG_IMPORT = """\b
Examples:
  ogai cluster import --from ansible-inventory hosts.ini --to pod.yaml
  ogai cluster import --from csv bought.csv --head n01 --name pod1
  ogai cluster import --from hosts /etc/hosts

The document goes to stdout, or to a file. What of the list is not in it is told on stderr, line by line; values
stay what was typed. An inventory may be INI or YAML; a table has a head in any order and language of its columns
(name, ip, bmc, mac, serial, rack, role, class, …), or is a list as PODsys has it.
"""

EPILOG_EXPORT = """\b
Examples:
  ogai cluster export > inventory.yaml
  ogai cluster export --cluster pod.yaml --look > bare.yaml   of bare hosts

Groups are controller, head, login, compute, storage, and one for each class; variables are those that ogai would
give its roles. Secrets are named by the paths of their files on this machine.
"""


@click.command("import", epilog=EPILOG_IMPORT)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--from", "form", type=click.Choice(get_args(ListForm)), help="What the file is; else it is guessed."
)
@click.option("--name", metavar="NAME", help="The cluster's name; else the file's.")
@click.option("--head", metavar="NODE", help="Which node leads, where the list does not say.")
@to_option
@force_option
def import_(
    file: Path, form: ListForm | None, name: str | None, head: str | None, to: Path | None, force: bool
) -> None:
    """Make a cluster document of a list of hosts."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.lists import tell_notes

    imported = flow.import_list(file, form, name=name, head=head)
    tell_notes(imported)
    if to is None:
        click.echo(imported.document, nl=False)
    else:
        save_document(to, imported.document, force=force)


@click.command(epilog=EPILOG_EXPORT)
@name_option
@click.option(
    "--cluster",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A cluster document, in place of one kept here.",
)
@click.option(
    "--to",
    type=click.Choice(["ansible-inventory"]),
    default="ansible-inventory",
    show_default=True,
    help="What is written.",
)
@click.option(
    "--look", is_flag=True, help="Look at the nodes first, and make the secrets that roles are told of."
)
@ask_option
def export(name: str | None, file: Path | None, to: str, look: bool, ask_sudo_password: bool) -> None:
    """Write a cluster as an Ansible inventory, with all that our roles are told."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.lists import tell_unseen
    from ogai.render.node.looking import looking

    with looking("looked at") as looked:
        exported = flow.export_inventory(
            file, name=name, look=look, password=password_of(ask=ask_sudo_password), on_node=looked
        )
    tell_unseen(exported)
    sys.stdout.write(exported.text)
