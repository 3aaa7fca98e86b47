"""`ogai train drill`: break a run on purpose, and see what it makes of it."""

import random
from collections.abc import Sequence
from typing import cast, get_args

import click

from l0_infra.core.errors import InterruptedByUser, UnhealthyError, UsageError
from l3_modeltools import Trouble, summarize_drill
from ogai.commands.epilog import examples
from ogai.commands.train.arguments import RunId
from ogai.commands.words import FileName
from ogai.flows.train import drills as flow
from ogai.render import Output, emit, output_option
from ogai.render.ask import confirm
from ogai.render.train.drilled import describe_drill, describe_result, print_drill

__all__ = ["drill"]

TROUBLES: tuple[Trouble, ...] = get_args(Trouble)
MOST = 10_000
"""Faults of one drill: days of it."""

USUAL = "kill,hang,oom,nan,spike,slow,disk,corrupt"


class Troubles(click.ParamType[tuple[Trouble, ...]]):
    """Kinds of drills, joined by commas."""

    name = "kinds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Trouble, ...]:
        """Return the kinds; refuse words that are none."""
        if not isinstance(value, str):
            return cast("tuple[Trouble, ...]", value)
        words = [word.strip() for word in value.split(",") if word.strip()]
        unknown = [word for word in words if word not in TROUBLES]
        if unknown or not words:
            self.fail(
                f"{', '.join(unknown) or 'nothing'}; expected some of {', '.join(TROUBLES)}", param, ctx
            )
        return tuple(cast("list[Trouble]", list(dict.fromkeys(words))))


@click.command(
    epilog=examples(
        "ogai train drill tiny-llama-1 --faults kill,hang   shows its plan, and asks",
        "ogai train drill --spec train.yaml --yes           on a run of its own",
        "ogai train drill --spec train.yaml --set resilience.max_restarts=50",
    )
)
@click.argument("run_id", metavar="[RUN]", type=RunId(), required=False)
@click.option("--spec", metavar="FILE", type=FileName(), help="Submit this training for the drill.")
@click.option("--set", "settings", metavar="PATH=VALUE", multiple=True, help="With --spec: any field of it.")
@click.option(
    "--faults",
    "troubles",
    metavar="KIND,…",
    type=Troubles(),
    default=USUAL,
    show_default=True,
    help=f"What is done: {', '.join(TROUBLES)}.",
)
@click.option(
    "--seed", metavar="N", type=int, help="The same seed, the same drill; default: drawn, and told."
)
@click.option(
    "--count", metavar="N", type=click.IntRange(1, MOST), help="How many faults; default: one of each kind."
)
@click.option("--keep-running", is_flag=True, help="With --spec: let the run go on at the end.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@output_option
def drill(
    run_id: str | None,
    spec: str | None,
    settings: tuple[str, ...],
    troubles: tuple[Trouble, ...],
    seed: int | None,
    count: int | None,
    keep_running: bool,
    yes: bool,
    output: Output,
) -> None:
    """Break a run on purpose, one fault after the other, and tell what it made of each.

    RUN is a run that is going on; --spec submits one for the drill. Exit code 6 when a fault was missed or misjudged.
    """
    drawn = random.SystemRandom().randrange(10**6) if seed is None else seed
    planned = _planned(run_id, spec, settings, troubles, seed=drawn, count=count)
    confirm(describe_drill(planned), yes=yes)
    try:
        with flow.under_drill(planned, keep_running=keep_running, tell=_tell) as run:
            report = flow.drill(
                planned, run, tell=_tell, on_result=lambda result: _tell(describe_result(result))
            )
    except KeyboardInterrupt:
        raise InterruptedByUser(
            "drill", found="Ctrl-C", expected="its end", hint="what was still ordered is taken back"
        ) from None
    emit(report, output, print_drill)
    if not report.holds:
        raise UnhealthyError(
            f"run {report.run}",
            found=summarize_drill(report),
            expected="every fault noticed as what it was",
            hint=f"ogai train faults {report.run}",
        )


def _planned(
    run_id: str | None,
    spec: str | None,
    settings: Sequence[str],
    troubles: Sequence[Trouble],
    *,
    seed: int,
    count: int | None,
) -> flow.PlannedDrill:
    if run_id is not None and spec is None and not settings:
        return flow.plan_drill_of(run_id, troubles, seed=seed, count=count)
    if spec is not None and run_id is None:
        return flow.plan_drill_with(spec, troubles, seed=seed, count=count, settings=settings)
    raise UsageError(
        "ogai train drill",
        found="a run and a training"
        if run_id and spec
        else "--set without --spec"
        if settings
        else "nothing",
        expected="either RUN or --spec FILE",
    )


def _tell(text: str) -> None:
    click.echo(text, err=True)
