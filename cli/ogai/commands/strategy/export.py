"""`ogai strategy export`: a strategy in a framework's own words."""

from pathlib import Path

import click

from ogai.commands.epilog import examples
from ogai.commands.strategy.frameworks import FRAMEWORKS
from ogai.render import Output, emit, output_option

__all__ = ["export"]


@click.command(
    epilog=examples(
        "ogai strategy export strategy.yaml --to megatron",
        "ogai strategy export strategy.yaml --to mindformers --file parallel.yaml",
    )
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--to", "framework", type=click.Choice(FRAMEWORKS), required=True, help="Whose configuration.")
@click.option("--file", "target", type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
@click.option("--model", help="Preset to count layers from, without a workload.")
@output_option
def export(file: Path, framework: str, target: Path | None, model: str | None, output: Output) -> None:
    """Write the strategy document FILE as a framework's configuration, and say what it has no words for.

    Arguments for megatron and torchtitan, a file for the others. `torchtitan-toml` is for its releases before
    March 2026, `mindformers-2` for the dynamic graph of MindFormers 2.x.
    """
    from ogai.flows import strategy as flow
    from ogai.render.strategy import print_exported

    exported = flow.export(file, framework=framework, model=model, to=target)
    emit(exported, output, lambda found: print_exported(found, written=target))
