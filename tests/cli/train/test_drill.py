"""`ogai train drill`: a real run is broken on purpose; the plan is shown first, each fault is told with its cost."""

import json
from pathlib import Path

import pytest

from l3_modeltools.resilience.drill import read_orders
from tests.cli.train.conftest import Ogai

pytestmark = pytest.mark.real


def test_what_cannot_be_drilled_is_refused_before_anything_is_done(ogai: Ogai, training: Path) -> None:
    spec = ("train", "drill", "--spec", "train.yaml")
    cases = {
        ("train", "drill"): (2, "expected either RUN or --spec FILE"),
        (*spec, "--faults", "kil"): (2, "kil; expected some of kill, crash"),
        (*spec, "--faults", "kill", "--seed", "3"): (2, "add --yes"),
        (*spec, "--count", "40", "--faults", "kill"): (
            3,
            "40 faults that restart the ranks, and 10 restarts left",
        ),
        (*spec, "--count", "99999999999999"): (2, "1<=x<=10000"),
        ("train", "drill", "nobody"): (2, "nobody"),
    }
    for words, (code, text) in cases.items():
        said = ogai(*words)
        assert said.code == code and text in said.err, said
    assert json.loads(ogai("train", "list", "-o", "json").out) == []


def test_a_drilled_run_notices_and_goes_on(ogai: Ogai, training: Path) -> None:
    said = ogai(
        *("train", "drill", "--spec", "train.yaml", "--set", "steps=100000", "--yes", "-o", "json"),
        *("--faults", "kill,nan,hang", "--seed", "3"),
    )
    assert said.code == 0, said.err
    assert "ends itself by SIGKILL" in said.err and "at most one step is done again" in said.err
    report = json.loads(said.out)
    assert {result["trouble"]: result["verdict"] for result in report["results"]} == dict.fromkeys(
        ("kill", "nan", "hang"), "right"
    )
    assert all(result["redone_steps"] <= 1 for result in report["results"])
    (run,) = json.loads(ogai("train", "list", "-o", "json").out)
    assert (run["run_id"], run["state"]) == ("small-drill-1", "CANCELLED")
    assert all(order.withdrawn for order in read_orders(Path(run["directory"])))
