"""What looks like a fault that nobody has described: real texts of faults do, what healthy trainers say does not."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from l3_modeltools.resilience.suspicion import NEAR, find_suspicious, is_suspicious

CASES = Path(__file__).parents[2] / "cases" / "errors"
HARMLESS = (CASES / "harmless.txt").read_text().splitlines()
KNOWN: list[dict[str, Any]] = yaml.safe_load((CASES / "known.yaml").read_text())

UNHEARD_OF = """\
lustre-client: request 17 timed out
[rank3]: our.trainer.ShardLost: shard 4 cannot be had
E0714 03:12:44.120 71 gateway.cc:88] gave up after 12 s
2026-03-04 10:11:12,001 ERROR launcher: worker 3 left
the licence server refused the seat
\x1b[31mfatal\x1b[0m: no more handles
stager: exited with status 4
loader: checksum mismatch in part 12
Aborted (core dumped)
RDMA: cannot register 2 GiB
"""

CALM = """\
epoch 2: 0 errors, 0 failed, 512 batches
INFO root: retry policy: 3 times, error budget 0.01
exit code: 0
connected; timeout=30, keepalive=10
signal handlers installed
installing libgpg-error 1.46
    | raise ValueError("the model wrote this")
[default1]:    | print("fatal error")
"""


@pytest.mark.parametrize("line", UNHEARD_OF.splitlines())
def test_a_fault_that_nobody_described_is_seen(line: str) -> None:
    assert is_suspicious(line)
    assert find_suspicious([*HARMLESS, line]) == len(HARMLESS)


def test_what_healthy_programs_say_is_no_fault() -> None:
    lines = [*HARMLESS, *CALM.splitlines()]
    number = find_suspicious(lines)
    assert number is None, lines[number or 0]


def test_of_real_texts_of_faults_nine_in_ten_are_seen_without_the_catalogue() -> None:
    seen = [case for case in KNOWN if find_suspicious(case["text"].splitlines()) is not None]
    assert len(seen) >= 0.9 * len(KNOWN)


def test_the_first_line_of_the_last_trouble_is_shown() -> None:
    calm = ["step 1 loss 3.2"] * (NEAR + 1)
    log = ["mirror: refused", *calm, "tap: it failed", "step 9 loss 3", "gone: cannot go on"]
    assert find_suspicious(log) == len(calm) + 1
