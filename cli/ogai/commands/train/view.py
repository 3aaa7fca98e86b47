"""The live view of a run on the terminal: looked at, painted, turned by keys, until it ends or a person leaves."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ogai.commands.keys import LEAVING, pressed, single_keys
from ogai.flows import train as flow
from ogai.flows.engine import open_engine
from ogai.flows.train.watch import Scene, Watch
from ogai.render import console
from ogai.render.glyphs import choose_glyphs
from ogai.render.screen import screen_of
from ogai.render.train.watch.frame import View, draw_frame, turn

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["can_show", "print_once", "show"]

EVERY_S = 0.5
SHARE = 20
"""Looking and drawing take at most one part in so many of a CPU."""

FOR_THE_END = 6
"""Lines left free below the last picture: what came of the run, and the next prompt."""


def can_show() -> bool:
    """Tell whether the output is a terminal on which lines can be painted again."""
    terminal = console()
    return terminal.is_terminal and not terminal.is_dumb_terminal


def show(run_id: str) -> bool:
    """Show a run until it has ended, which leaves a last picture, or until a person leaves; tell whether it ended."""
    terminal = console()
    with open_engine() as engine:
        watch = Watch(engine, Path(flow.find(run_id).directory))
        scene = watch.look()
        last = scene if scene.ended else watched(watch, scene, terminal)
        if last is None:
            return False
        last = watch.look(lines=True)
    print_picture(last, terminal, height=terminal.height - FOR_THE_END)
    return True


def watched(watch: Watch, scene: Scene, terminal: "Console") -> Scene | None:
    """Paint a run until it has ended; None when a person left before."""
    glyphs = choose_glyphs(terminal.encoding, os.environ)
    view = View(keys=True)
    with single_keys(), screen_of(terminal) as screen:
        while not scene.ended:
            began = time.monotonic()
            lines = draw_frame(scene, view, width=terminal.width, height=terminal.height, glyphs=glyphs)
            screen.paint(lines)
            key = pressed(max(EVERY_S, SHARE * (time.monotonic() - began)))
            if key in LEAVING:
                return None
            view = turn(view, key)
            scene = watch.look(lines=view.lines)
    return scene


def print_once(run_id: str) -> None:
    """Print one picture of a run as it is, as long as it needs."""
    with open_engine() as engine:
        scene = Watch(engine, Path(flow.find(run_id).directory)).look(lines=True)
    print_picture(scene, console(), height=None)


def print_picture(scene: Scene, terminal: "Console", *, height: int | None) -> None:
    """Print a picture where it stays, of a run that failed with the last lines that it printed."""
    glyphs = choose_glyphs(terminal.encoding, os.environ)
    view = View(lines=scene.run.state == "FAILED")
    for line in draw_frame(scene, view, width=terminal.width, height=height, glyphs=glyphs):
        terminal.print(line, soft_wrap=True)
