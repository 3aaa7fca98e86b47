"""`ogai strategy import`: somebody's configuration as a strategy, and what we think of it."""

from pathlib import Path

import click

from ogai.commands.epilog import examples
from ogai.commands.strategy.frameworks import FRAMEWORKS
from ogai.render import Output, emit, output_option

__all__ = ["import_"]


@click.command(
    "import",
    context_settings={"ignore_unknown_options": True},
    epilog=examples(
        "ogai strategy import finetune_glm4_9b.yaml --to strategy.yaml",
        "ogai strategy import train.toml --model llama-3.1-8b --machine machine.yaml",
        "ogai strategy import --world-size 64 -- --tensor-model-parallel-size 8",
    ),
)
@click.argument("given", metavar="FILE|ARGUMENTS…", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--from",
    "framework",
    metavar="FRAMEWORK",
    type=click.Choice(FRAMEWORKS),
    help=f"Whose it is; without it it is recognised. One of {', '.join(FRAMEWORKS)}.",
)
@click.option("--model", help="Preset that is trained, where the configuration does not say.")
@click.option("--world-size", type=click.IntRange(min=1), help="Ranks it is started with.")
@click.option(
    "--machine",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Machine document to work out time and room on.",
)
@click.option("--to", type=click.Path(path_type=Path, dir_okay=False), help="File to write the strategy to.")
@output_option
def import_(
    given: tuple[str, ...],
    framework: str | None,
    model: str | None,
    world_size: int | None,
    machine: Path | None,
    to: Path | None,
    output: Output,
) -> None:
    """Read a framework's configuration, a FILE (`-`: stdin) or its ARGUMENTS, as a strategy document.

    What a strategy has no words for is told on stderr, and so is what a step would need of memory, and of time where
    --machine says on what, as far as the model is known.
    """
    from ogai.flows import strategy as flow
    from ogai.render.strategy import print_understood

    alone = len(given) == 1 and not given[0].startswith("--")
    understood = flow.import_(
        Path(given[0]) if alone else given,
        framework=framework,
        model=model,
        world_size=world_size,
        machine=machine,
        to=to,
    )
    emit(understood, output, lambda found: print_understood(found, written=to))
