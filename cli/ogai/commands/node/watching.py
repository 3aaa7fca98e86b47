"""Keep a table of nodes on the screen and up to date."""

import sys
import time
from collections.abc import Iterator

from l0_infra.core.errors import UsageError
from ogai.commands.keys import LEAVING, pressed, single_keys
from ogai.flows.node import Inspected
from ogai.render.node.live import live_lines
from ogai.render.screen import screen_of
from ogai.render.table import console

__all__ = ["watch_nodes"]

EVERY_S = 5.0


def watch_nodes(looks: Iterator[Inspected]) -> None:
    """Show each look at the nodes until q, Ctrl-D or Ctrl-C; raises UsageError when there is no terminal."""
    if not sys.stdout.isatty():
        raise UsageError(
            "--watch", found="no terminal", expected="a terminal", hint="leave --watch out in a pipe"
        )
    terminal = console()
    with single_keys(), screen_of(terminal) as screen:
        for look in looks:
            screen.paint(live_lines(look, width=terminal.width, height=terminal.height, now=time.time()))
            if pressed(EVERY_S) in LEAVING:
                return
