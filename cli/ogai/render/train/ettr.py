"""`ogai train ettr`: where time went, and what would have to change."""

from collections.abc import Iterator

import click

from l3_modeltools import FaultPlan, Reach, Replay
from ogai.flows.train import PlannedEttr, RunEttr
from ogai.render.moment import brief
from ogai.render.table import Column, print_fields, print_table

__all__ = ["print_planned_ettr", "print_replay", "print_run_ettr"]

Field = tuple[str, str]
Line = tuple[str, ...]
BAR = 24


def print_run_ettr(found: RunEttr) -> None:
    """Print what a run's time went into, its figures and its faults."""
    bars = [
        (spent.category.replace("_", " "), brief(spent.seconds), percent(spent.share), bar(spent.share))
        for spent in found.spent
        if spent.seconds > 0
    ]
    print_lines(
        ("TIME OF " + found.run_id, "FOR", "SHARE", ""), [*bars, ("all", brief(found.wall_s), "", "")]
    )
    click.echo()
    print_fields(
        [
            *((figure.name, f"{percent(figure.share):>6}  {figure.equation}") for figure in found.figures),
            ("faults", ", ".join(f"{each.count} {each.fault_class}" for each in found.faults) or "none"),
            ("restarts", str(found.restarts)),
        ]
    )


def print_planned_ettr(planned: PlannedEttr) -> None:
    """Print what a plan can expect and what would change it."""
    plan, expected = planned.plan, planned.expected
    rows = [
        ("productive", expected.productive),
        ("save stall", expected.save_stall),
        ("redone", expected.redone),
        ("restart", expected.restart),
    ]
    print_fields([("plan", describe_plan(plan, best=planned.best)), *describe_estimates(planned)])
    click.echo()
    print_lines(("EXPECTED", "SHARE", ""), [(name, percent(share), bar(share)) for name, share in rows])
    click.echo()
    click.echo("What reaches a share, each with the best interval:")
    print_fields([(f"{reach.target:.0%}", describe_reach(reach)) for reach in planned.reaches])


def print_replay(replay: Replay) -> None:
    """Print the answers, the settings as a table, and what reaches the targets."""
    table = replay.table
    print_fields(
        [
            (
                "faults",
                f"{table.count} in {table.days} days on {table.accelerators:,} {table.accelerator},"
                f" one every {brief(replay.mtbf_s)}",
            ),
            ("source", table.source),
            ("note", table.note),
        ]
    )
    click.echo()
    click.echo("ETTR with a save every hour and 20m from a fault to the next step:")
    print_fields([(found.name, f"{percent(found.share)}: {found.assumes}") for found in replay.estimates])
    click.echo()
    click.echo(
        "ETTR by restart; columns: saved how often/held up how long, +copies in memory that faults leave"
    )
    titles = [describe_setting(setting.plan, best=setting.best) for setting in replay.settings[0]]
    print_lines(
        ("RESTART", *titles),
        [
            (brief(row[0].plan.restart_s), *(percent(setting.share) for setting in row))
            for row in replay.settings
        ],
    )
    click.echo()
    held = brief(replay.settings[0][-1].plan.save_s)
    click.echo(
        f"What reaches a share, each with the best interval and saves that hold the run up for {held}:"
    )
    print_fields([(f"{reach.target:.0%}", describe_reach(reach)) for reach in replay.reaches])


def describe_plan(plan: FaultPlan, *, best: bool) -> str:
    """Write a plan in one line."""
    every = f"{brief(plan.interval_s)}{' (the best)' if best else ''}"
    copies = f"; {plan.memory_share:.0%} leave a copy in memory" if plan.memory_share else ""
    return (
        f"a fault every {brief(plan.mtbf_s)}, a save of {brief(plan.save_s)} every {every},"
        f" {brief(plan.restart_s)} to restart{copies}"
    )


def describe_estimates(planned: PlannedEttr) -> Iterator[Field]:
    """Write the number and how it is found."""
    copies = ", with copies in memory" if planned.plan.memory_share else ""
    yield "ETTR", f"{percent(planned.expected.productive)} expected (Daly 2006{copies})"
    if not planned.plan.memory_share:
        yield "", f"{percent(planned.first_order)} to first order (arXiv:2410.21680)"


def describe_reach(reach: Reach) -> str:
    """Say what reaches a target; all but the plan itself save as often as is best."""
    if reach.reached:
        return "reached as planned"
    ways = []
    if reach.interval_s is not None:
        ways.append(f"save every {brief(reach.interval_s)}")
    if reach.save_s:
        ways.append(f"a save of at most {brief(reach.save_s)}")
    if reach.restart_s:
        ways.append(f"a restart within {brief(reach.restart_s)}")
    if reach.restart_with_memory_s and reach.restart_with_memory_s != reach.restart_s:
        restart = brief(reach.restart_with_memory_s)
        ways.append(
            f"copies in memory that {reach.memory_share:.0%} of faults leave, and a restart within {restart}"
        )
    return "; or ".join(ways) or "no single change reaches it: shorten saves and restarts together"


def describe_setting(plan: FaultPlan, *, best: bool) -> str:
    """Head a column: how is saved."""
    every = "best" if best else brief(plan.interval_s)
    copies = f"+{plan.memory_share:.0%}" if plan.memory_share else ""
    return f"{every}/{brief(plan.save_s)}{copies}"


def percent(share: float | None) -> str:
    """Write a share: `73.6%`; `-` where there is none."""
    return "-" if share is None else f"{share:.1%}"


def bar(share: float) -> str:
    """Draw a share."""
    return "#" * round(share * BAR)


def print_lines(titles: Line, lines: list[Line]) -> None:
    """Print a table whose first column is set left and whose numbers are set right."""
    columns = [
        Column[Line](
            title=title,
            value=lambda line, index=index: line[index],  # type: ignore[misc]
            align="right" if index and title else "left",
        )
        for index, title in enumerate(titles)
    ]
    print_table(columns, lines)
