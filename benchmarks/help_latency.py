"""How long help takes over a Python that does nothing; the target is 150 ms."""

import sys
from importlib.util import find_spec

from _timing import median_times_s

from ogai.main import COMMANDS

ROUNDS = 15
TARGET_MS = 150
BASE = "python -c pass"


def main() -> None:
    """Print medians in milliseconds, for the root and every command that is there."""
    ogai = [sys.executable, "-m", "ogai"]
    there = [name for name, entry in COMMANDS.items() if find_spec(entry.target.partition(":")[0])]
    commands = {BASE: [sys.executable, "-c", "pass"], "ogai --help": [*ogai, "--help"]}
    commands |= {f"ogai {name} --help": [*ogai, name, "--help"] for name in there}
    times = median_times_s(commands, rounds=ROUNDS)
    print(f"help latency, median of {ROUNDS} (target: at most {TARGET_MS} ms over `{BASE}`)")
    for name, seconds in times.items():
        over = (seconds - times[BASE]) * 1000
        verdict = "" if over <= TARGET_MS else "  over the target"
        print(f"  {name:<24}{seconds * 1000:7.1f} ms  {over:+7.1f} ms{verdict}")


if __name__ == "__main__":
    main()
