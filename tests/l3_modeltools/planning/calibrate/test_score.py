"""Measured runs beside the model, and the model fitted to them."""

from dataclasses import replace
from pathlib import Path

import pytest

from l0_infra import load_devices
from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools import Errors, fit_calibration, lesson_of, read_runs, score_datasets, score_runs
from l3_modeltools.planning.calibrate.lesson import BOUNDS
from l3_modeltools.schemas import Calibration

HEAD = (
    "dataset,model,hidden,ffn,layers,heads,kv_heads,vocab,gated_mlp,gpu,precision,gpus,tp,pp,cp,vp,dp,fsdp,ep,mbs,gbs,"
    "seq_len,recompute,iter_s,tokens_per_s_per_gpu,peak_mem_gib,note\n"
)
LINE = (
    "ours,m,{hidden},{ffn},16,16,16,32000,0,a100,{precision},{gpus},{tp},1,1,1,{dp},0,1,{mbs},64,1024,full,{step},,"
    "{peak},\n"
)
A100 = {"a100": next(device for device in load_devices() if device.name == "a100-sxm-80")}


def line(
    *,
    hidden: int = 2048,
    tp: int = 1,
    mbs: str = "4",
    step: str = "0.5",
    dp: str = "",
    peak: str = "",
    gpus: int = 8,
    precision: str = "fp16",
) -> str:
    return LINE.format(
        hidden=hidden,
        ffn=4 * hidden,
        tp=tp,
        dp=dp or gpus // tp,
        mbs=mbs,
        step=step,
        peak=peak,
        gpus=gpus,
        precision=precision,
    )


def table(folder: Path, *lines: str) -> Path:
    path = folder / "runs.csv"
    path.write_text(HEAD + "".join(lines))
    return path


def test_a_micro_batch_that_is_not_told_is_the_best_one(tmp_path: Path) -> None:
    (open_,) = read_runs(table(tmp_path, line(mbs="")))
    (scored,) = score_runs([open_], A100, Calibration(name="test"))
    each = [read_runs(table(tmp_path, line(mbs=str(size))))[0] for size in (1, 2, 4, 8)]
    steps = [one.step_s for one in score_runs(each, A100, Calibration(name="test")) if one.step_s is not None]
    assert scored.step_s == min(steps) and len(steps) == 4


def test_seconds_and_peaks_are_scored_and_what_is_refused_is_told(tmp_path: Path) -> None:
    lines = [
        line(),
        line(peak="20"),
        line(step="", peak="30"),
        line(tp=3, dp="1", gpus=3),
        line(precision="fp8"),
    ]
    scored = score_runs(read_runs(table(tmp_path, *lines)), A100, Calibration(name="test"))
    (found,) = score_datasets(scored)
    assert (found.rows, found.refused) == (5, 2)
    assert found.time and found.time.rows == 2 and found.memory and found.memory.rows == 2
    assert [one.refused is None for one in scored] == [True, True, True, False, False]
    assert "3" in (scored[3].refused or "") and "no peak for fp8" in (scored[4].refused or "")
    assert scored[1].peak_error == pytest.approx((scored[1].peak_bytes or 0) / 20 / 2**30 - 1)
    assert scored[0].peak_bytes is None


def test_what_no_device_can_do_is_not_counted(tmp_path: Path) -> None:
    """A step of a few milliseconds would take thousands of TFLOP/s; a published table has such a row."""
    (sound, absurd) = score_runs(
        read_runs(table(tmp_path, line(), line(step="0.001"))), A100, Calibration(name="test")
    )
    assert sound.doubted is None and sound.step_error is not None
    assert absurd.step_error is None and "whose peak is 312" in (absurd.doubted or "")
    (found,) = score_datasets([sound, absurd])
    assert (found.rows, found.refused, found.doubted) == (2, 0, 1)
    assert found.time is not None and found.time.rows == 1


def test_errors_are_summed_up() -> None:
    found = Errors.of([0.1, -0.3, 0.2])
    assert found is not None and (found.rows, found.worst) == (3, -0.3)
    assert (found.mape, found.median, found.bias) == pytest.approx((0.2, 0.2, 0.0))
    assert Errors.of([]) is None


def test_a_fit_finds_the_figures_that_made_the_runs(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="needs scipy")
    truth = Calibration(name="truth", matmul_share=0.7, memory_share=0.6)
    shapes = [
        (hidden, tp, mbs) for hidden in (1024, 2048, 4096, 8192) for tp in (1, 2, 4) for mbs in (1, 2, 4)
    ]
    runs = read_runs(table(tmp_path, *(line(hidden=h, tp=tp, mbs=str(mbs)) for h, tp, mbs in shapes)))
    made = [
        replace(run, step_s=one.step_s) for run, one in zip(runs, score_runs(runs, A100, truth), strict=True)
    ]
    start = Calibration(name="start")
    fitted = fit_calibration(lesson_of(made, A100, start), A100, start, name="found")
    errors = [abs(one.step_error or 0.0) for one in score_runs(made, A100, fitted)]
    assert max(errors) < 0.02
    assert max(abs(one.step_error or 0.0) for one in score_runs(made, A100, Calibration(name="start"))) > 0.1
    assert fitted.fitted[0].rows == len(shapes)
    for name, (low, high) in BOUNDS.items():
        assert low <= getattr(fitted, name) <= high


def test_a_single_run_moves_what_it_tells_of_and_leaves_the_rest(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="needs scipy")
    start = Calibration(name="start")
    (run,) = read_runs(table(tmp_path, line()))
    (before,) = score_runs([run], A100, start)
    slow = replace(run, step_s=1.2 * (before.step_s or 0.0))
    lesson = lesson_of([slow], A100, start)
    fitted = fit_calibration(lesson, A100, start, name="found")
    (after,) = score_runs([slow], A100, fitted)
    assert abs(after.step_error or 0.0) < abs((before.step_s or 0.0) / (slow.step_s or 1.0) - 1) / 2
    assert not lesson.enough and lesson.kinds == 1 < len(lesson.touched)
    assert {"network_share", "network_latency_s", "shard_passes", "straggler_share"} <= set(lesson.untouched)
    assert all(getattr(fitted, name) == getattr(start, name) for name in lesson.untouched)
    assert set(lesson.touched) | set(lesson.untouched) == set(BOUNDS)


def test_runs_alike_are_of_one_kind_and_others_touch_more(tmp_path: Path) -> None:
    start = Calibration(name="start")
    alike = read_runs(table(tmp_path, *(line(step=step) for step in ("0.5", "0.6", "0.7"))))
    several = read_runs(table(tmp_path, line(), line(gpus=16), line(tp=2), line(mbs="2")))
    one, more = lesson_of(alike, A100, start), lesson_of(several, A100, start)
    assert (len(one.runs), one.kinds, more.kinds) == (3, 1, 4)
    assert set(one.touched) < set(more.touched)
    assert {"network_share", "straggler_share"} <= set(more.touched)  # of two nodes


def test_runs_without_a_time_teach_nothing(tmp_path: Path) -> None:
    refused = line(tp=3, gpus=24)
    runs = read_runs(table(tmp_path, line(step=""), refused, line(step="0.0001")))
    with pytest.raises(
        UnsatisfiableError, match=r"no measured run \(1 without a time, 1 refused, 1 impossibly fast\)"
    ):
        lesson_of(runs, A100, Calibration(name="start"))


def test_a_step_of_ages_among_others_is_fitted_to_as_far_as_may_be(tmp_path: Path) -> None:
    """So long that what is foretold is none of it, to the last digit of a float."""
    pytest.importorskip("scipy", reason="needs scipy")
    start, runs = Calibration(name="start"), read_runs(table(tmp_path, line(step="9e17"), line()))
    fitted = fit_calibration(lesson_of(runs, A100, start), A100, start, name="found")
    assert sum(one.rows for one in fitted.fitted) == 2
