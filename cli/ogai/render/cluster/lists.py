"""What of a list of hosts did not come into its document."""

import click

from l0_infra.core.errors import printable
from l0_infra.core.nodeset import fold
from ogai.flows.cluster import ExportedInventory, ImportedCluster

__all__ = ["tell_notes", "tell_unseen"]


def tell_unseen(exported: ExportedInventory) -> None:
    """Say on stderr of which nodes only the document is known."""
    if exported.unseen:
        click.echo(f"not looked at yet, so that their hardware is unknown: {fold(exported.unseen)}", err=True)
        click.echo(
            "hint: `ogai cluster export --look` looks, and makes the secrets that roles are told of", err=True
        )


def tell_notes(imported: ImportedCluster) -> None:
    """Say on stderr how many nodes there are, and name all that was left out."""
    count = sum(len(group.listed()) for group in imported.cluster.nodes)
    click.echo(
        f"cluster {imported.cluster.name}: {count} nodes, from a list of the form {imported.form}", err=True
    )
    by_reason: dict[str, list[str]] = {}
    for note in imported.notes:
        by_reason.setdefault(note.why, []).append(f"{note.where}: {note.what}")
    for why, places in by_reason.items():
        click.echo(f"{why}:" if len(places) > 1 else printable(f"{places[0]}: {why}"), err=True)
        for place in places if len(places) > 1 else ():
            click.echo(printable(f"  {place}"), err=True)
