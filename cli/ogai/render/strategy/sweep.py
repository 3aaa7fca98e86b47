"""A scaling curve as a table with bars."""

from ogai.flows.strategy import Curve, Point
from ogai.render.strategy.words import cut, rate, share, step
from ogai.render.table import Column, print_heading, print_table

__all__ = ["print_curve"]

BAR = 20


def print_curve(curve: Curve) -> None:
    """Print a line for each size; efficiency is against the smallest size at which the model fits."""
    print_heading(f"{curve.model} on {curve.device}, {curve.global_batch_size:,} sequences a step")
    print()
    print_table(
        (
            Column[Point](title="DEVICES", value=lambda one: f"{one.devices:,}", align="right"),
            Column[Point](
                title="STEP",
                value=lambda one: step(one.offer.outlook.step_s) if one.offer else "-",
                align="right",
            ),
            Column[Point](
                title="TOKENS",
                value=lambda one: rate(one.offer.outlook.tokens_per_s) if one.offer else "-",
                align="right",
            ),
            Column[Point](title="EFFICIENCY", value=_efficiency),
            Column[Point](
                title="CUT", value=lambda one: cut(one.offer.strategy) if one.offer else "does not fit"
            ),
        ),
        curve.points,
    )


def _efficiency(point: Point) -> str:
    if point.efficiency is None:
        return "-"
    cells = round(min(1.0, point.efficiency) * BAR)
    return f"{share(point.efficiency):>5} {'█' * cells}{'░' * (BAR - cells)}"
