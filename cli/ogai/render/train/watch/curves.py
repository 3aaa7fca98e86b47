"""The curves of a run: the loss large, learning rate and gradient norm small beside it where there is room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from ogai.flows.train.history import Curve
from ogai.flows.train.watch import Scene
from ogai.render.chart.plot import Marks, Plot, Points, draw
from ogai.render.glyphs import Glyphs

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["LEAST_ROWS", "Span", "draw_curves"]

LEAST_ROWS = 6
WIDE = 72
GAP = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """The steps that are drawn, both ends included."""

    first: int
    last: int


def draw_curves(
    scene: Scene, *, width: int, height: int, glyphs: Glyphs, tenth: bool, log: bool
) -> list[Text]:
    """Draw them on at most `height` lines; none where there is no loss yet, or no room."""
    span = choose_span(scene.history.loss.steps, tenth=tenth)
    if span is None or height < LEAST_ROWS:
        return []
    history = scene.history
    small = [("lr", history.learning_rate, False), ("grad norm", history.grad_norm, True)]
    small = [one for one in small if one[1].values]
    aside = (width - GAP) // 3 if small and width >= WIDE else 0
    main = width - aside - (GAP if aside else 0)
    drawn = draw_loss(scene, span, width=main, height=height, glyphs=glyphs, log=log)
    if not aside or not drawn:
        return drawn
    right = draw_small(small, span, width=aside, height=len(drawn), glyphs=glyphs)
    return side_by_side(drawn, right, main + GAP)


def choose_span(steps: Sequence[int], *, tenth: bool) -> Span | None:
    """Take the whole run, or its last tenth; None before the first loss."""
    if not steps:
        return None
    first, last = steps[0], steps[-1]
    return Span(first=max(first, last - (last - first) // 10) if tenth else first, last=last)


def draw_loss(scene: Scene, span: Span, *, width: int, height: int, glyphs: Glyphs, log: bool) -> list[Text]:
    """Draw the loss with its validations, the faults and the checkpoints below it."""
    from rich.text import Text

    saved = {m.step for m in scene.marks if m.mark == "saved" and m.step is not None}
    saved |= {checkpoint.step for checkpoint in scene.run.checkpoints}
    faults = sorted({fault.step for fault in scene.faults if fault.step is not None})
    validation = points(scene.history.validation_loss, span)
    plot = Plot(
        curve=points(scene.history.loss, span),
        first=span.first,
        last=span.last,
        points=validation,
        marks=(
            Marks(steps=faults, sign=glyphs.fault, style="bold red"),
            Marks(steps=sorted(saved), sign=glyphs.checkpoint, style="green"),
        ),
        log=log,
    )
    rows = draw(plot, width=width, height=height - 1, glyphs=glyphs)
    legend = [("loss", "bold"), (f"{', log scale' if log else ''}", "")]
    for shown, sign, style, name in (
        (bool(validation.steps), glyphs.point, "bold magenta", "validation"),
        (within(saved, span), glyphs.checkpoint, "green", "checkpoint"),
        (within(faults, span), glyphs.fault, "bold red", "fault"),
    ):
        legend += [("  ", ""), (sign, style), (f" {name}", "")] if shown else []
    return [Text.assemble(*legend), *rows] if rows else []


def draw_small(
    curves: Sequence[tuple[str, Curve, bool]], span: Span, *, width: int, height: int, glyphs: Glyphs
) -> list[Text]:
    """Draw small curves one below the other on exactly `height` lines, as many as have room."""
    from rich.text import Text

    each = height // len(curves)
    if each < 4:
        return draw_small(curves[:1], span, width=width, height=height, glyphs=glyphs) if curves[1:] else []
    lines: list[Text] = []
    for number, (name, curve, smooth) in enumerate(curves):
        rows = height - each * (len(curves) - 1) if number == 0 else each
        plot = Plot(
            curve=points(curve, span),
            first=span.first,
            last=span.last,
            smooth=smooth,
            labelled=False,
            gutter=6,
        )
        lines.append(Text(name, style="bold"))
        lines += draw(plot, width=width, height=rows - 1, glyphs=glyphs)
    return lines


def side_by_side(left: Sequence[Text], right: Sequence[Text], column: int) -> list[Text]:
    """Put lines beside others, these beginning in `column`."""
    from rich.text import Text

    joined = []
    for one, other in zip_longest(left, right, fillvalue=Text()):
        line = one.copy()
        line.truncate(column - GAP)
        line.append(" " * (column - line.cell_len))
        joined.append(line.append_text(other))
    return joined


def points(curve: Curve, span: Span) -> Points:
    """Take the part of a curve that is drawn."""
    part = curve.between(span.first, span.last)
    return Points(steps=part.steps, values=part.values)


def within(steps: Iterable[int], span: Span) -> bool:
    """Tell whether any of the steps is drawn."""
    return any(span.first <= step <= span.last for step in steps)
