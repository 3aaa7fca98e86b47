"""docs/gates.md lists every check as it is declared, and its example of a drain can be read."""

import re
from pathlib import Path

from l1_podsys.gates import CHECKS
from l1_podsys.slurm import parse_drain

PAGE = (Path(__file__).parents[2] / "docs" / "gates.md").read_text()


def test_every_check_has_its_line() -> None:
    rows = re.findall(r"^\| `([a-z.-]+)` \| (\w+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert rows == [(check.code, check.level, check.what) for check in CHECKS.values()]


def test_the_example_of_a_drain_is_one() -> None:
    (example,) = re.findall(r"^ogai:gate .*$", PAGE, re.MULTILINE)
    drain = parse_drain(example)
    assert (drain.owner, drain.by, drain.ours) == ("gate", "root", True)
