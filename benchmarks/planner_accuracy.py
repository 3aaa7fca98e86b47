"""How right the planner is: what it foretells against what others measured and published.

`--data` names a directory of tables: `runs.csv` with a row for each measured step, and the published tables beside it.
`published` needs none: `published_runs.csv` has what NVIDIA publishes of its trainers, of which nothing was fitted.
Nor does `dryrun`: it sets the formulas beside dry runs.
"""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from _planner_dryrun import dry_run_scores
from _planner_memory import memory_scores
from _planner_ranking import ranking_scores
from _planner_time import published_scores, time_scores
from _score import HEADING, Score

TABLED: dict[str, Callable[[Path], Iterable[Score]]] = {
    "time": time_scores,
    "memory": memory_scores,
    "ranking": ranking_scores,
}
OWN: dict[str, Callable[[], Iterable[Score]]] = {"published": published_scores, "dryrun": dry_run_scores}
PARTS = (*TABLED, *OWN)


def main() -> None:
    """Print one line for each data set, in per cent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to score; all if none is named")
    parser.add_argument("--data", type=Path, help="the directory of the tables")
    wished = parser.parse_args()
    parts = wished.parts or PARTS
    if wished.data is None and any(part in TABLED for part in parts):
        parser.error(f"{' and '.join(TABLED)} need --data")
    for part in parts:
        print(part)
        print(f"  {HEADING}")
        for score in OWN[part]() if part in OWN else TABLED[part](wished.data):
            print(f"  {score.line()}", flush=True)


if __name__ == "__main__":
    main()
