"""`ogai strategy explain`: every number of a plan with its derivation, and the step as a picture."""

from pathlib import Path
from typing import Any

import click

from ogai.commands.epilog import examples
from ogai.commands.strategy.asking import machine_options
from ogai.render import Output, emit, output_option

__all__ = ["explain"]


@click.command(
    epilog=examples(
        "ogai strategy explain strategy.yaml --device h100-sxm-80",
        "ogai strategy explain strategy.yaml --devices 4096 --device h100-sxm-80",
        "ogai strategy explain strategy.yaml --device h100-sxm-80 --term bubble",
        "ogai strategy explain strategy.yaml --device h100-sxm-80 --html plan.html",
    )
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--devices", type=click.IntRange(1), help="Accelerators; without it as many as FILE needs.")
@machine_options
@click.option("--term", help="This number only, with its derivation: `bubble`, `activations`.")
@click.option("--stage", type=int, help="Bytes of this pipeline stage only, counted from 0.")
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page with both pictures."
)
@output_option
def explain(
    file: Path, term: str | None, stage: int | None, html: Path | None, output: Output, **words: Any
) -> None:
    """Say where each number of the strategy in FILE comes from: formula, values put in, source.

    Without --term the step is drawn, rank by rank, with the seconds and the bytes that make it up.
    """
    from ogai.flows import strategy as flow
    from ogai.render.strategy.explain import print_explained, write_page

    asked = flow.Asked(model="", sequence_length=1, global_batch_size=1, **words)
    explained, timeline = flow.explain(file, asked, term=term, stage=stage)
    if html is not None:
        write_page(*flow.explain(file, asked), html)
        click.echo(f"written: {html}", err=True)
    emit(explained, output, lambda found: print_explained(found, timeline, whole=term is None))
