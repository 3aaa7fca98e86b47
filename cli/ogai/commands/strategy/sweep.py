"""`ogai strategy sweep`: how a training scales with the number of accelerators."""

from typing import Any

import click

from l0_infra.core.errors import UsageError
from ogai.commands.epilog import examples
from ogai.commands.strategy.asking import training_options
from ogai.render import Output, emit, output_option

__all__ = ["sweep"]


@click.command(
    epilog=examples(
        "ogai strategy sweep llama-3.1-70b --devices 256,512,1024 \\",
        "    --device h100-sxm-80 --sequence-length 8192 --global-batch 1024",
    )
)
@click.argument("model")
@click.option("--devices", required=True, help="Numbers of accelerators: 512,1024,2048.")
@training_options
@output_option
def sweep(model: str, devices: str, tokens: str | None, output: Output, **asked: Any) -> None:
    """Find the best strategy for each number of accelerators, and how well MODEL scales.

    With a --machine its nodes are taken, as many as are needed.
    """
    from ogai.flows import strategy as flow
    from ogai.flows.strategy.amounts import parse_amount
    from ogai.render.strategy.sweep import print_curve

    sizes = [_size(word) for word in devices.split(",")]
    largest = None if asked["machine"] else max(sizes)
    curve = flow.sweep(
        flow.Asked(model=model, devices=largest, **asked),
        sizes,
        tokens=parse_amount(tokens, where="--tokens") if tokens else None,
        tell=lambda text: click.echo(text, err=True),
    )
    emit(curve, output, print_curve)


def _size(word: str) -> int:
    if word.strip().isdecimal() and int(word) > 0:
        return int(word)
    raise UsageError("--devices", found=f"`{word}`", expected="numbers: 512,1024,2048")
