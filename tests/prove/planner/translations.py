"""Strategies through each framework's own words and back: whole, or with every loss named."""

from collections.abc import Iterator
from random import Random

from l0_infra.core.errors import OgaiError, UnsatisfiableError
from l3_modeltools.frameworks.translate import TABLES
from l3_modeltools.schemas import Strategy
from tests.support.round_trips import differences, there_and_back

__all__ = ["FRAMEWORKS", "comes_back"]

FRAMEWORKS = tuple(TABLES)


def comes_back(strategy: Strategy, framework: str, random: Random) -> Iterator[str]:
    """What it cannot run is refused by its degree; what came back different is what was said to be lost."""
    try:
        before, after, lost = there_and_back(strategy, framework)
    except UnsatisfiableError as refusal:
        if not refusal.where.startswith("degrees."):
            yield f"refused by `{refusal.where}`: {refusal}"
        return
    except OgaiError as error:
        yield f"what was written cannot be read: {error}"
        return
    found = {path if not path.startswith("workload") else "workload" for path in lost}
    if differences(before, after) != found:
        yield f"{differences(before, after)} came back different, {found} was said"
