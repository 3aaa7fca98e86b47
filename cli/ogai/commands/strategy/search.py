"""`ogai strategy search`: the best way to cut a model over a machine."""

from pathlib import Path
from typing import Any

import click

from ogai.commands.epilog import examples
from ogai.commands.strategy.asking import training_options
from ogai.render import Output, emit, output_option

__all__ = ["search"]


@click.command(
    epilog=examples(
        "ogai strategy search llama-3.1-405b --devices 16384 --device h100-sxm-80 \\",
        "    --sequence-length 8192 --global-batch 2048 --framework megatron",
        "ogai strategy search config.json --machine pod.yaml \\",
        "    --sequence-length 4096 --global-batch 512 --to best.yaml",
        "ogai strategy search … --framework megatron --fix tp=8,pp=16 -o json",
        "ogai strategy search … --objective fewest --deadline 90d --tokens 15T",
    )
)
@click.argument("model")
@click.option("--devices", type=click.IntRange(1), help="Accelerators.")
@training_options
@click.option(
    "--objective",
    type=click.Choice(["fastest", "fewest", "cheapest"]),
    default="fastest",
    show_default=True,
    help="The fastest step, the fewest accelerators for the deadline, or the least money.",
)
@click.option("--deadline", help="For all tokens: 90d.")
@click.option("--budget", type=float, help="For all tokens, in the currency of the price.")
@click.option("--top", type=click.IntRange(1, 100), default=5, show_default=True, help="How many to show.")
@click.option("--front", is_flag=True, help="Also the fastest for less and less memory.")
@click.option("--to", type=click.Path(path_type=Path, dir_okay=False), help="Write the best strategy.")
@output_option
def search(
    model: str,
    objective: Any,
    deadline: str | None,
    budget: float | None,
    top: int,
    front: bool,
    to: Path | None,
    output: Output,
    tokens: str | None,
    **asked: Any,
) -> None:
    """Find the best strategies for MODEL: a preset, an `architecture` document, or a config.json.

    Every legal cut is looked at, and layers are dealt to stages exactly; what is passed over is proven to be worse.
    """
    from l0_infra.core.units import parse_duration
    from l3_modeltools import Wish
    from ogai.flows import strategy as flow
    from ogai.flows.strategy.amounts import parse_amount
    from ogai.render.strategy.search import print_plan

    wish = Wish(
        objective=objective,
        tokens=parse_amount(tokens, where="--tokens") if tokens else None,
        deadline_s=parse_duration(deadline, where="--deadline") if deadline else None,
        budget=budget,
    )
    plan = flow.search(
        flow.Asked(model=model, **asked),
        wish,
        top=top,
        front=front,
        to=to,
        tell=lambda text: click.echo(text, err=True),
    )
    emit(plan, output, lambda found: print_plan(found, written=to))
