"""Runs of one's own come back from the table as the settings that they had."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from l3_modeltools import preset
from l3_modeltools.planning.calibrate import measured_row, read_runs, unmeasured_because, write_rows
from l3_modeltools.runs import Measured, Metric
from l3_modeltools.schemas import Degrees, Dpo, Expected, Recompute, Run, Strategy, Train
from tests.support.trainings import training

METRICS = tuple(Metric(step=at, step_s=0.5, memory_bytes=3.0 * 2**30) for at in range(1, 9))
CUT = Strategy(degrees=Degrees(dp=4), zero_stage=2, micro_batch_size=2, recompute=Recompute(mode="full"))


def run(train: Train | None = None, device: str | None = "a100-sxm-80") -> Run:
    expected = Expected(memory_bytes=2**31, step_s=0.4, device=device)
    return Run(
        run_id="t-1",
        train=train or training(gpus=4, precision="bf16", strategy=CUT),
        directory="/runs/t-1",
        submitted_at=1.0,
        expected=expected,
    )


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    assert unmeasured_because(run(), METRICS) is None
    path = tmp_path / "own.csv"
    path.write_text(write_rows([measured_row(Measured(run=run(), metrics=METRICS))]))
    (found,) = read_runs(path)
    (setting,) = found.settings
    assert (found.device, found.devices, found.framework) == ("a100-sxm-80", 4, "ogai")
    assert (found.step_s, found.peak_bytes) == (0.5, 3 * 2**30)
    assert setting.strategy == replace(CUT, padded_vocab_size=4096, pipeline=setting.strategy.pipeline)
    assert (setting.sequence_length, setting.global_batch_size) == (256, 16)
    tiny = preset("tiny-llama")
    assert setting.architecture.hidden_size == tiny.hidden_size
    assert setting.architecture.attention == replace(
        tiny.attention, num_key_value_heads=tiny.attention.num_key_value_heads
    )


@pytest.mark.parametrize(
    ("train", "metrics", "why"),
    [
        (replace(run().train, model=None, data=None), METRICS, "not known"),
        (training(gpus=4, strategy=CUT, architecture=preset("deepseek-v3")), METRICS, "experts"),
        (replace(run().train, objective=Dpo()), METRICS, "no plain text"),
        (run().train, METRICS[:3], "timed"),
    ],
)
def test_what_makes_no_line_says_why(train: Train, metrics: tuple[Metric, ...], why: str) -> None:
    assert why in (unmeasured_because(run(train), metrics) or "")


def test_a_device_without_a_data_sheet_makes_no_line() -> None:
    assert "data sheet" in (unmeasured_because(run(device=None), METRICS) or "")


def test_a_table_of_no_runs_has_its_heading() -> None:
    assert write_rows(()).splitlines()[0].startswith("dataset,hidden,")
