"""`ogai checkpoint`: what a run saved, whether it is sound, and how two of them differ."""

import time

import click

from ogai.commands.epilog import examples
from ogai.commands.train.arguments import RunId
from ogai.render import Output, emit, output_option

__all__ = ["checkpoint"]

EPILOG = """\b
Examples:
  ogai checkpoint list tiny-llama-1
  ogai checkpoint verify tiny-llama-1                      read every byte
  ogai checkpoint diff tiny-llama-1@200 tiny-llama-2@200   tensor by tensor
"""

DIFF_EPILOG = """\b
Examples:
  ogai checkpoint diff tiny-llama-1@200 tiny-llama-2@200
  ogai checkpoint diff tiny-llama-1 runs/old/checkpoints/step-00000200 --all
  ogai checkpoint diff tiny-llama-1 tiny-llama-2 -o json | jq '.[].verdict'

Equal means bit by bit. Compare only checkpoints that you trust: reading one can run code that it holds.
"""


@click.group(epilog=EPILOG)
def checkpoint() -> None:
    """Checkpoints: list, verify, compare."""


where_argument = click.argument("where", metavar="RUN|DIRECTORY", type=RunId())


@checkpoint.command(
    "list", epilog=examples("ogai checkpoint list tiny-llama-1", "ogai checkpoint list ./run")
)
@where_argument
@output_option
def list_(where: str, output: Output) -> None:
    """List checkpoints, the oldest first, judged by their manifests and sizes."""
    from ogai.flows import checkpoint as flow
    from ogai.render.checkpoint import print_checkpoints

    found = flow.poll(where)
    if output == "table" and not found:
        click.echo(f"no checkpoints of {where} yet", err=True)
        return
    emit(found, output, lambda shown: print_checkpoints(shown, time.time()))


@checkpoint.command(
    epilog=examples("ogai checkpoint verify tiny-llama-1", "ogai checkpoint verify ./run -o json")
)
@where_argument
@output_option
def verify(where: str, output: Output) -> None:
    """Read every byte of checkpoints; exit code 6 when one is damaged."""
    from ogai.flows import checkpoint as flow
    from ogai.render.checkpoint import judge_checkpoints, print_checkpoints

    found = flow.verify(where)
    emit(found, output, lambda shown: print_checkpoints(shown, time.time()))
    judge_checkpoints(where, found)


@checkpoint.command(epilog=DIFF_EPILOG)
@click.argument("first", metavar="A", type=RunId())
@click.argument("second", metavar="B", type=RunId())
@click.option("-a", "--all", "everything", is_flag=True, help="Also what is equal.")
@output_option
def diff(first: str, second: str, everything: bool, output: Output) -> None:
    """Compare checkpoints A and B tensor by tensor; each is RUN@STEP, RUN (its newest) or a directory."""
    from ogai.flows import checkpoint as flow
    from ogai.render.checkpoint import print_differences

    emit(flow.diff(first, second), output, lambda entries: print_differences(entries, everything=everything))
