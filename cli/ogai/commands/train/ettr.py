"""`ogai train ettr`: what share of its time a run makes use of, as it was, as planned, or as others met faults."""

import click

from l0_infra.core.errors import UsageError
from l0_infra.core.units import parse_duration
from ogai.commands.epilog import examples
from ogai.commands.train.arguments import RunId
from ogai.flows import train as flow
from ogai.render import Output, emit, output_option
from ogai.render.train.ettr import print_planned_ettr, print_replay, print_run_ettr

__all__ = ["ettr"]

HINT = "ogai train ettr RUN; ogai train ettr --mtbf 3h --save 100s --restart 20m; ogai train ettr --replay llama-3"


@click.command(
    epilog=examples(
        "ogai train ettr tiny-llama-1         where its time went",
        "ogai train ettr --replay llama-3     419 faults in 54 days, relived",
        "ogai train ettr --mtbf 3h --save 100s --every 1h --restart 20m",
        "ogai train ettr --accelerators 1024 --save 5s --restart 2m --survivors 0.9",
    )
)
@click.argument("run_id", metavar="[RUN]", required=False, type=RunId())
@click.option("--mtbf", metavar="TIME", help="Plan: mean time between two faults of the whole run.")
@click.option(
    "--accelerators",
    metavar="N",
    type=int,
    help="Plan: the same, for so many at the rate of Llama 3's faults.",
)
@click.option("--save", metavar="TIME", help="Plan: how long a save holds the run up.")
@click.option("--every", metavar="TIME|auto", help="Plan: training between two saves; auto: the best. [auto]")
@click.option("--restart", metavar="TIME", help="Plan: from a fault until steps are done again.")
@click.option(
    "--survivors", metavar="SHARE", type=float, help="Plan: share of faults that leave a copy in memory. [0]"
)
@click.option("--redo", metavar="TIME", help="Plan: work done again after such a fault: a step or so. [0s]")
@click.option("--replay", metavar="TABLE", help="Replay a published table of faults: llama-3.")
@output_option
def ettr(
    run_id: str | None,
    mtbf: str | None,
    accelerators: int | None,
    save: str | None,
    every: str | None,
    restart: str | None,
    survivors: float | None,
    redo: str | None,
    replay: str | None,
    output: Output,
) -> None:
    """Show the effective training time ratio: the share of the time that went into steps that count.

    Of a RUN: what its time went into. Of a plan: what to expect, and what reaches 90, 95 and 97 %. Of a replay: what a
    published table of faults costs under several settings.
    """
    given = {
        "--mtbf": mtbf,
        "--accelerators": accelerators,
        "--save": save,
        "--every": every,
        "--restart": restart,
        "--survivors": survivors,
        "--redo": redo,
    }
    planned = [name for name, value in given.items() if value is not None]
    require_one(run_id, planned, replay)
    if run_id is not None:
        emit(flow.run_ettr(run_id), output, print_run_ettr)
    elif replay is not None:
        emit(flow.replay_ettr(replay), output, print_replay)
    else:
        plan = read_plan(mtbf, accelerators, save, every, restart, survivors, redo)
        emit(flow.expected_ettr(plan, best=every in (None, "auto")), output, print_planned_ettr)


def require_one(run_id: str | None, planned: list[str], replay: str | None) -> None:
    """Refuse a mixture of a run, a plan and a replay, and none of them."""
    asked = [f"run {run_id}"] if run_id is not None else []
    asked += [" ".join(planned)] if planned else []
    asked += ["--replay"] if replay is not None else []
    if len(asked) != 1:
        found = " and ".join(asked) or "nothing to account for"
        raise UsageError(
            "ogai train ettr", found=found, expected="one of a run, a plan and a replay", hint=HINT
        )


def read_plan(
    mtbf: str | None,
    accelerators: int | None,
    save: str | None,
    every: str | None,
    restart: str | None,
    survivors: float | None,
    redo: str | None,
) -> flow.FaultPlan:
    """Read a plan as typed. Raises UsageError for what is missing, contradictory or out of range."""
    if (mtbf is None) == (accelerators is None):
        found = "neither" if mtbf is None else "both"
        expected = "one of --mtbf and --accelerators"
        raise UsageError("ogai train ettr", found=found, expected=expected, hint=HINT)
    share = survivors or 0.0
    if not 0 <= share < 1:
        raise UsageError("--survivors", found=f"{share:g}", expected="a share from 0 to below 1, such as 0.9")
    mtbf_s = positive("--mtbf", mtbf) if mtbf is not None else flow.mtbf_of(accelerators or 0)
    return flow.FaultPlan(
        mtbf_s=mtbf_s,
        save_s=needed("--save", save, "how long a save holds the run up: `100s`"),
        interval_s=mtbf_s if every in (None, "auto") else positive("--every", every),
        restart_s=needed("--restart", restart, "from a fault until steps are done again: `20m`"),
        memory_share=share,
        memory_redo_s=parse_duration(redo, where="--redo") if redo is not None else 0.0,
    )


def needed(option: str, text: str | None, meaning: str) -> float:
    """Return seconds that a plan cannot do without."""
    if text is None:
        raise UsageError("ogai train ettr", found=f"no {option}", expected=meaning, hint=HINT)
    return parse_duration(text, where=option)


def positive(option: str, text: str | None) -> float:
    """Return seconds above 0."""
    seconds = needed(option, text, "a duration such as `3h`")
    if seconds <= 0:
        raise UsageError(option, found=f"`{text}`", expected="a duration above 0, such as `3h`")
    return seconds
