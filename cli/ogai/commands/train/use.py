"""`ogai train sample|export`: what came of a run."""

from typing import Literal

import click

from ogai.commands.epilog import examples
from ogai.commands.train.arguments import run_argument
from ogai.commands.words import FileName
from ogai.flows import train as flow

__all__ = ["export", "sample"]

of_step = click.option(
    "--step",
    metavar="N",
    type=click.IntRange(min=0),
    help="The checkpoint of this step; default: the newest.",
)


@click.command(epilog=examples('ogai train sample tiny-llama-1 "def read_lines(path):"'))
@run_argument
@click.argument("prompts", metavar="[TEXT…]", nargs=-1)
@click.option(
    "--max-new-tokens",
    metavar="N",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    help="Tokens added to each text.",
)
@click.option(
    "--temperature",
    metavar="T",
    type=click.FloatRange(min=0),
    default=0.8,
    show_default=True,
    help="0: the likeliest token each time; higher: more surprising.",
)
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="Another seed, another text."
)
@of_step
def sample(
    run_id: str,
    prompts: tuple[str, ...],
    max_new_tokens: int,
    temperature: float,
    seed: int,
    step: int | None,
) -> None:
    """Let a run's model go on with each TEXT; without one, with those of the training's `validation.prompts`."""
    given = prompts or flow.find(run_id).train.validation.prompts or ("",)
    texts = flow.sample(
        run_id, given, max_new_tokens=max_new_tokens, step=step, seed=seed, temperature=temperature
    )
    for prompt, text in zip(given, texts, strict=True):
        click.echo(prompt + text)


@click.command(
    epilog=examples(
        "ogai train export tiny-llama-1 --to tiny-llama",
        "ogai train export tiny-llama-1 --to weights --format safetensors --step 500",
    )
)
@run_argument
@click.option("--to", metavar="DIRECTORY", type=FileName(), required=True, help="A new directory.")
@click.option(
    "--format",
    type=click.Choice(["hf", "safetensors"]),
    default="hf",
    show_default=True,
    help="`hf`: what transformers loads, tokenizer included; `safetensors`: weights alone.",
)
@of_step
def export(run_id: str, to: str, format: Literal["hf", "safetensors"], step: int | None) -> None:
    """Write a run's model into a new directory. Prints the directory."""
    click.echo(flow.export(run_id, to, format=format, step=step))
