"""`ogai train watch`: one screen of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ogai.flows.train.watch import Scene
from ogai.render.glyphs import Glyphs
from ogai.render.train.watch.curves import LEAST_ROWS, draw_curves
from ogai.render.train.watch.head import describe_model, draw_progress, list_numbers, title
from ogai.render.train.watch.lag import draw_lag, find_lag
from ogai.render.train.watch.lines import fit, flow
from ogai.render.train.watch.notes import (
    draw_checkpoint,
    draw_fault,
    draw_log,
    draw_restarts,
    draw_sample,
)
from ogai.render.train.watch.standing import breaks, stand

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["View", "draw_frame", "turn"]

ALL_OF_IT = 30
"""Lines of a picture that may have as many as it likes."""

SHORT = 20
TALL = 30
"""Below `SHORT` lines texts are cut off sooner; from `TALL` on more of everything is shown."""

WANTED_ROWS = 9
"""Lines that the curves get before what can be done without gets any."""

MOST_ROWS = 28


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What a person chose to see with keys; `keys`: whether the line that names them is there."""

    tenth: bool = False
    log_scale: bool = False
    lines: bool = False
    keys: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Lines that belong together; where there is no room the highest `rank` goes first."""

    rank: int
    lines: list[Text]


def turn(view: View, key: str) -> View:
    """Return what is seen after a key; one that means nothing changes nothing."""
    match key.lower():
        case "z":
            return replace(view, tenth=not view.tenth)
        case "l":
            return replace(view, log_scale=not view.log_scale)
        case "t":
            return replace(view, lines=not view.lines)
    return view


def draw_frame(scene: Scene, view: View, *, width: int, height: int | None, glyphs: Glyphs) -> list[Text]:
    """Draw a scene for a terminal of this size: no line is wider, and there are no more of them.

    Without `height` the picture has as many lines as it needs.
    """
    above, below = blocks(scene, view, width, ALL_OF_IT if height is None else height, glyphs)
    room = ALL_OF_IT if height is None else height

    def curves(rows: int) -> list[Text]:
        return draw_curves(
            scene,
            width=width,
            height=min(rows, MOST_ROWS),
            glyphs=glyphs,
            tenth=view.tenth,
            log=view.log_scale,
        )

    lines = arrange(above, below, curves, room if height else max(room, LEAST_ROWS + count(above + below)))
    fitted = fit(lines, width=width, glyphs=glyphs)
    return fitted if height is None else fitted[:height]


def blocks(
    scene: Scene, view: View, width: int, height: int, glyphs: Glyphs
) -> tuple[list[Block], list[Block]]:
    """Draw all but the curves: what goes above them, and what below."""
    from rich.text import Text

    gaps = breaks(scene)
    pace_s = scene.history.pace_s(gaps)
    standing = stand(scene, pace_s)
    going_s = None if standing.word == "SUSPENDED" else pace_s
    most = 8 if height >= TALL else 4
    numbers = list(flow(list_numbers(scene), width))
    lag = find_lag(scene.ranks, step_s=scene.history.step_s(gaps), now=scene.now)
    above = [
        Block(rank=0, lines=list(title(scene, standing, width))),
        Block(rank=5, lines=[Text(describe_model(scene))]),
        Block(rank=1, lines=[draw_progress(scene, going_s, width=width, glyphs=glyphs)]),
        Block(rank=2, lines=numbers[:1]),
        Block(rank=6, lines=numbers[1:]),
    ]
    below = [
        Block(
            rank=3, lines=[] if lag is None else list(draw_lag(lag, width=width, most=most, glyphs=glyphs))
        ),
        Block(rank=4, lines=list(draw_checkpoint(scene, width))),
        Block(rank=3, lines=list(draw_fault(scene, width, most=1 if height < SHORT else 2))),
        Block(rank=7, lines=list(draw_restarts(scene, width))),
        Block(rank=8, lines=list(draw_sample(scene, width))),
        Block(rank=3, lines=list(draw_log(scene, most * 2)) if view.lines else []),
        Block(rank=4, lines=list(keys(view, width)) if view.keys else []),
    ]
    return above, below


def keys(view: View, width: int) -> Iterator[Text]:
    """Name the keys with what each would do now."""
    from rich.text import Text

    wide = width >= 70
    yield Text.assemble(
        ("q", "bold"),
        " leave, the run goes on   " if wide else " leave  ",
        ("z", "bold"),
        f" {'whole run' if view.tenth else 'last tenth'}   ",
        ("l", "bold"),
        f" {'linear' if view.log_scale else 'log scale'}   ",
        ("t", "bold"),
        f" {'hide the log' if view.lines else 'log'}",
    )


def arrange(
    above: list[Block], below: list[Block], curves: Callable[[int], list[Text]], room: int
) -> list[Text]:
    """Give the curves what the rest leaves, and leave out of the rest what would leave them nothing."""
    dispensable = sorted(block.rank for block in above + below if block.rank > 4 and block.lines)
    while dispensable and count(above + below) + WANTED_ROWS > room and curves(WANTED_ROWS):
        worst = dispensable.pop()
        above = [block for block in above if block.rank != worst]
        below = [block for block in below if block.rank != worst]
    drawn = curves(room - count(above + below))
    while count(above + below) + len(drawn) > room and (worst := max(b.rank for b in above + below)):
        above = [block for block in above if block.rank != worst]
        below = [block for block in below if block.rank != worst]
    return [*joined(above), *drawn, *joined(below)]


def count(blocks: list[Block]) -> int:
    return sum(len(block.lines) for block in blocks)


def joined(blocks: list[Block]) -> list[Text]:
    return [line for block in blocks for line in block.lines]
