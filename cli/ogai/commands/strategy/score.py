"""`ogai strategy score` and `calibrate`: the cost model beside measured runs."""

from pathlib import Path

import click

from ogai.commands.epilog import examples
from ogai.render import Output, emit, output_option

__all__ = ["calibrate", "score"]

TABLE = click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))


NEEDED = """

The table's first line names its columns. It needs dataset, hidden, layers, heads, vocab, gpu (a name of
`ogai device list`), gpus, gbs and seq_len, and of what was measured iter_s or tokens_per_s_per_gpu, or peak_mem_gib;
docs/strategy.md tells the others."""


@click.command(
    epilog=examples(
        "ogai strategy score runs.csv", "ogai strategy score runs.csv --each -o json | jq '.runs[]'"
    )
    + NEEDED
)
@TABLE
@click.option(
    "--calibration",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Figures to use; without it the published ones.",
)
@click.option("--each", is_flag=True, help="Show every run.")
@output_option
def score(file: Path, calibration: Path | None, each: bool, output: Output) -> None:
    """Predict the measured runs of FILE (CSV) and say how far off that is, data set by data set."""
    from ogai.flows import strategy as flow
    from ogai.render.strategy import print_score

    scored = flow.score(file, calibration=calibration)
    emit(scored, output, lambda found: print_score(found, each=each))
    flow.raise_for_unmeasured(scored)


@click.command(
    epilog=examples(
        "ogai strategy calibrate runs.csv --to ours.yaml",
        "ogai strategy calibrate runs.csv --to a100.yaml --device a100 --dataset ours",
    )
    + NEEDED
)
@TABLE
@click.option("--to", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File to write.")
@click.option("--name", default="ours", show_default=True, help="Name of the calibration.")
@click.option("--dataset", "datasets", multiple=True, help="Runs of this data set only; repeatable.")
@click.option("--device", "devices", multiple=True, help="Runs on devices whose name begins so; repeatable.")
@output_option
def calibrate(
    file: Path, to: Path, name: str, datasets: tuple[str, ...], devices: tuple[str, ...], output: Output
) -> None:
    """Fit the cost model to the measured runs of FILE (CSV), and write its figures.

    Says on stderr where the runs are too few to settle what they touch, and which figures they do not touch.
    """
    from ogai.flows import strategy as flow
    from ogai.render.strategy import print_calibration

    fitted = flow.calibrate(
        file,
        to=to,
        name=name,
        datasets=datasets,
        devices=devices,
        tell=lambda text: click.echo(text, err=True),
    )
    emit(fitted, output, print_calibration)
