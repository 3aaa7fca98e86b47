"""Sleeps by select(2) where libfaketime is loaded, whose clock_nanosleep(2) refuses what Python asks of the real one.

Python finds this module by its name at its start, before any other.
"""

import select
import time


def sleep(seconds: float) -> None:
    select.select((), (), (), seconds)


time.sleep = sleep
