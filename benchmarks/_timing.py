"""What the benchmarks share: fair timing of commands that take milliseconds."""

import subprocess
import time
from collections.abc import Mapping, Sequence
from statistics import median

__all__ = ["median_times_s"]


def median_times_s(commands: Mapping[str, Sequence[str]], *, rounds: int) -> dict[str, float]:
    """Run the commands in turn, so that a busy moment of the machine hits all of them; return medians.

    The first round warms the caches and is not counted. Raises subprocess.CalledProcessError when one fails.
    """
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if number:
                times[name].append(time.perf_counter() - start)
    return {name: median(values) for name, values in times.items()}
