"""Proofs that are test suites: laws under many more examples, tests against real programs many times over."""

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from report import Proof

__all__ = ["SUITES", "Suite", "prove_suite"]

ROOT = Path(__file__).parents[2]
EXAMPLES = re.compile(r"(\d+) passing")


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """Tests that belong together; of `laws` many examples are drawn, others meet chance in the timing."""

    paths: tuple[str, ...]
    laws: bool
    only: str = ""
    once: bool = False
    """Whether it takes minutes and is not run again."""


SUITES = {
    "documents": Suite(
        paths=(
            "tests/l0_infra/core/documents",
            "tests/l0_infra/schemas",
            "tests/l0_infra/core/test_nodeset.py",
            "tests/l0_infra/core/test_units.py",
        ),
        laws=True,
    ),
    "facts": Suite(
        paths=("tests/l0_infra/facts", "tests/l0_infra/evidence", "tests/l0_infra/inspection"),
        laws=True,
        only="not real",
        once=True,
    ),
    "placement": Suite(paths=("tests/l2_scheduler/placement",), laws=True),
    "planning": Suite(
        paths=("tests/l3_modeltools/planning", "tests/l3_modeltools/frameworks"), laws=True, once=True
    ),
    "shim": Suite(paths=("tests/l2_scheduler/local",), laws=False),
    "checkpoint": Suite(paths=("tests/l3_modeltools/checkpoint",), laws=False, once=True),
    "training": Suite(
        paths=("tests/l3_modeltools/training/test_trainer.py",), laws=False, only="real", once=True
    ),
    "data": Suite(paths=("tests/l3_modeltools/data",), laws=True, once=True),
    "demo": Suite(paths=("tests/prove/whole_demo.py",), laws=False, once=True),
    "lab": Suite(paths=("tests/l1_podsys/lab",), laws=False, only="real"),
    "exec": Suite(paths=("tests/l0_infra/core/exec",), laws=False, only="real"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """What pytest said of one run."""

    tests: Counter[str]
    failed: tuple[str, ...]
    skipped: tuple[str, ...]
    examples: int


def prove_suite(name: str, suite: Suite, *, examples: int, repeat: int, seed: int, evidence: Path) -> Proof:
    """Run a suite again and again, each time with another seed, and add up what it says."""
    begun = time.monotonic()
    runs = [
        run_tests(suite, examples=examples, seed=seed + number, folder=evidence / f"{name}-{number}")
        for number in range(1 if suite.once else repeat)
    ]
    checked = sum((run.tests for run in runs), Counter[str]())
    return Proof(
        name=name,
        done={"runs of the suite": len(runs), "examples drawn": sum(run.examples for run in runs)},
        checked=dict(sorted(checked.items())),
        violations=tuple(failure for run in runs for failure in run.failed),
        skipped=tuple(sorted({text for run in runs for text in run.skipped})),
        seconds=time.monotonic() - begun,
        evidence=evidence,
    )


def run_tests(suite: Suite, *, examples: int, seed: int, folder: Path) -> Results:
    """Run pytest once; its words are kept in `folder`."""
    folder.mkdir()
    command = [sys.executable, "-m", "pytest", "-q", *suite.paths, f"--junitxml={folder}/results.xml"]
    command += ["-p", "many_examples", "--hypothesis-profile=prove", f"--hypothesis-seed={seed}"]
    command += ["--hypothesis-show-statistics"]
    command += ["-m", suite.only] if suite.only else []
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "cli", Path(__file__).parent))),
        "PROVE_EXAMPLES": str(examples if suite.laws else 100),
        "PROVE_KILLS": "10",
    }
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    (folder / "output.txt").write_text(done.stdout + done.stderr)
    return read_results(folder / "results.xml", done)


def read_results(file: Path, done: subprocess.CompletedProcess[str]) -> Results:
    """Read the JUnit file that pytest wrote; without one the whole run failed."""
    if not file.exists():
        return Results(
            tests=Counter(), failed=(done.stdout[-1500:] + done.stderr[-1500:],), skipped=(), examples=0
        )
    cases = ElementTree.parse(file).getroot().iter("testcase")
    tests: Counter[str] = Counter()
    failed, skipped = [], []
    for case in cases:
        name = f"{case.get('classname')}::{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif (skip := case.find("skipped")) is not None:
            skipped.append(f"{name}: {skip.get('message')}")
        else:
            tests[f"tests passed of {str(case.get('classname')).rpartition('.')[2]}"] += 1
    examples = sum(int(count) for count in EXAMPLES.findall(done.stdout))
    return Results(tests=tests, failed=tuple(failed), skipped=tuple(skipped), examples=examples)
