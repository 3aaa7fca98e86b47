"""`ogai data`: text becomes data sets, and data sets are looked at."""

import click

from ogai.commands.epilog import examples
from ogai.render import Output, emit, output_option

__all__ = ["data"]

EPILOG = """\b
Examples:
  ogai schema example corpus > corpus.yaml   begin a document
  ogai data prepare corpus.yaml              make what it describes
  ogai data inspect python-stdlib            what is in it
  ogai data verify python-stdlib             whether every byte is as it was
"""

PREPARE_EPILOG = """\b
Examples:
  ogai data prepare corpus.yaml
  ogai data prepare corpus.yaml --set tokenizer.vocab_size=8192 --replace

Interrupted or killed, the same command goes on from there. Run again, it says that nothing changed, or what did.
"""


@click.group(epilog=EPILOG)
def data() -> None:
    """Turn text into data sets; look at them."""


@data.command(epilog=PREPARE_EPILOG)
@click.argument("file", metavar="FILE")
@click.option("--set", "settings", metavar="PATH=VALUE", multiple=True, help="Any field of the document.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes; default: one a processor.")
@click.option("--replace", is_flag=True, help="Prepare anew; the earlier data set is kept as NAME.1.")
@output_option
def prepare(file: str, settings: tuple[str, ...], workers: int | None, replace: bool, output: Output) -> None:
    """Make the data set that the corpus document FILE (`-`: stdin) describes."""
    from ogai.flows import data as flow
    from ogai.render.data.prepared import tell_prepared
    from ogai.render.data.progress import progress_shown
    from ogai.render.data.table import print_inspection

    with progress_shown() as report:
        done = flow.prepare(file, settings=settings, workers=workers, replace=replace, report=report)
    tell_prepared(done)
    emit(done.dataset, output, lambda _: print_inspection(flow.inspect(str(done.manifest))))


@data.command("list", epilog=examples("ogai data list", "ogai data list -o json | jq -r '.[].name'"))
@output_option
def list_(output: Output) -> None:
    """Show all data sets."""
    from ogai.flows import data as flow
    from ogai.render.data.table import print_datasets

    found = flow.poll()
    for error in flow.damaged():
        click.echo(f"left out, for it is damaged: {error}", err=True)
    if output == "table" and not found:
        click.echo("no data sets yet; the first: ogai data prepare corpus.yaml", err=True)
        return
    emit([stored.dataset for stored in found], output, lambda _: print_datasets(found))


@data.command(epilog=examples("ogai data inspect python-stdlib", "ogai data inspect books --show 2 --tokens"))
@click.argument("name", metavar="NAME|PATH")
@click.option("--show", "count", type=click.IntRange(min=1), metavar="N", help="Print the first N documents.")
@click.option("--tokens", is_flag=True, help="Mark where one token ends and the next begins.")
@output_option
def inspect(name: str, count: int | None, tokens: bool, output: Output) -> None:
    """Show what a data set holds: documents, tokens, sources, what was left out."""
    from ogai.flows import data as flow
    from ogai.render.data.documents import print_documents
    from ogai.render.data.table import print_inspection

    if count is not None:
        print_documents(flow.decode(name, count), by_token=tokens)
        return
    inspection = flow.inspect(name)
    emit(inspection.dataset, output, lambda _: print_inspection(inspection))


@data.command(epilog=examples("ogai data verify python-stdlib"))
@click.argument("name", metavar="NAME|PATH")
def verify(name: str) -> None:
    """Read every byte of a data set; exit code 6 when it is not what its manifest says."""
    from ogai.flows import data as flow
    from ogai.render.data.prepared import judge_verification

    click.echo(judge_verification(flow.verify(name)))
