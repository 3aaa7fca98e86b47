"""`ogai strategy measured`: runs of one's own as a table that `score` and `calibrate` read."""

import click

from ogai.commands.epilog import examples

__all__ = ["measured"]


@click.command(
    epilog=examples(
        "ogai strategy measured > ours.csv",
        "ogai strategy measured llama-3 llama-4 > ours.csv",
        "ogai strategy calibrate ours.csv --to ours.yaml",
    )
)
@click.argument("run_ids", metavar="[RUN…]", nargs=-1)
def measured(run_ids: tuple[str, ...]) -> None:
    """Write the measured runs of this machine, or those named, as a table (CSV) for `score` and `calibrate`."""
    from ogai.flows import strategy as flow

    table = flow.measured(run_ids)
    click.echo(table.csv, nl=False)
    for run_id, why in table.left_out:
        click.echo(f"left out: {run_id}: {why}", err=True)
