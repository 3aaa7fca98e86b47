"""How right the planner is: what it foretells against what others measured and published.

`--data` names a directory of tables: `runs.csv` with a row for each measured step, and the published tables beside it.
"""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from _planner_memory import memory_scores
from _planner_time import time_scores
from _score import HEADING, Score

PARTS: dict[str, Callable[[Path], Iterable[Score]]] = {"time": time_scores, "memory": memory_scores}


def main() -> None:
    """Print one line for each data set, in per cent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to score; all if none is named")
    parser.add_argument("--data", type=Path, required=True, help="the directory of the tables")
    wished = parser.parse_args()
    for part in wished.parts or PARTS:
        print(part)
        print(f"  {HEADING}")
        for score in PARTS[part](wished.data):
            print(f"  {score.line()}")


if __name__ == "__main__":
    main()
