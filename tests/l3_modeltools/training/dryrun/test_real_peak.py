"""What a training on this machine really took, by the kernel's account, beside what both accounts foretell."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from l3_modeltools.training.dryrun import witness_of
from tests.support.real_peak import ENVIRONMENT, SETTING

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def grown() -> int:
    """Bytes by which the process grew at most."""
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-m", "tests.support.real_peak"]
    done = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout)["grown"])


@pytest.mark.real
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the kernel keeps no highest mark")
def test_a_real_training_takes_what_was_foretold(grown: int) -> None:
    as_it_is, by_hand = (witness_of(SETTING, engine=engine) for engine in ("trainer", "torch"))
    assert as_it_is.run.fullest.peak.total == pytest.approx(grown, rel=0.10)
    assert by_hand.run.fullest.peak.total == pytest.approx(grown, rel=0.10)
    assert by_hand.analytic[0].allocated == pytest.approx(grown, rel=0.10)


def test_our_trainer_run_dry_holds_what_the_model_cut_by_hand_does() -> None:
    trainer, by_hand = (
        witness_of(SETTING, engine=engine).run.fullest.peak for engine in ("trainer", "torch")
    )
    for name in ("weights", "gradients", "optimizer"):
        assert getattr(trainer, name) == pytest.approx(getattr(by_hand, name), rel=1e-3)
    assert trainer.activations == pytest.approx(by_hand.activations, rel=0.02)
    assert trainer.logits == pytest.approx(by_hand.logits, rel=1e-3)
