"""Measured runs as a table: read, refused line by line, set beside the model, and fitted to."""

from dataclasses import replace
from pathlib import Path

import pytest

from l0_infra import load_devices
from l0_infra.core.errors import DocumentError, UnsatisfiableError, UsageError
from l3_modeltools import DatasetScore, fit_calibration, read_runs, score_runs
from l3_modeltools.planning.calibrate.fit import BOUNDS
from l3_modeltools.schemas import Calibration

HEAD = (
    "dataset,model,hidden,ffn,layers,heads,kv_heads,vocab,gated_mlp,gpu,precision,gpus,tp,pp,cp,vp,dp,fsdp,ep,mbs,gbs,"
    "seq_len,recompute,iter_s,tokens_per_s_per_gpu,peak_mem_gib,note\n"
)
LINE = "ours,m,{hidden},{ffn},16,16,16,32000,0,a100,fp16,8,{tp},1,1,1,{dp},0,1,{mbs},64,1024,full,{step},{rate},,\n"
A100 = {"a100": next(device for device in load_devices() if device.name == "a100-sxm-80")}


def line(
    *, hidden: int = 2048, tp: int = 1, mbs: str = "4", step: str = "0.5", rate: str = "", dp: str = ""
) -> str:
    return LINE.format(hidden=hidden, ffn=4 * hidden, tp=tp, dp=dp or 8 // tp, mbs=mbs, step=step, rate=rate)


def table(folder: Path, *lines: str, head: str = HEAD) -> Path:
    path = folder / "runs.csv"
    path.write_text(head + "".join(lines))
    return path


def test_a_run_is_read(tmp_path: Path) -> None:
    (run,) = read_runs(table(tmp_path, line(tp=2)))
    (setting,) = run.settings
    assert (run.line, run.dataset, run.devices, run.step_s) == (2, "ours", 8, 0.5)
    assert (setting.strategy.degrees.tp, setting.strategy.degrees.dp) == (2, 4)
    assert (setting.strategy.recompute.mode, setting.practice.compute) == ("full", "fp16")


def test_a_rate_stands_in_for_the_seconds(tmp_path: Path) -> None:
    (run,) = read_runs(table(tmp_path, line(step="", rate="4096")))
    assert run.step_s == pytest.approx(64 * 1024 / 4096 / 8)


def test_a_micro_batch_that_is_not_told_is_the_best_one(tmp_path: Path) -> None:
    (open_,) = read_runs(table(tmp_path, line(mbs="")))
    assert [one.strategy.micro_batch_size for one in open_.settings] == [1, 2, 4, 8]
    (scored,) = score_runs([open_], A100, Calibration(name="test"))
    each = [read_runs(table(tmp_path, line(mbs=str(size))))[0] for size in (1, 2, 4, 8)]
    assert scored.step_s == min(one.step_s for one in score_runs(each, A100, Calibration(name="test")))


def test_every_bad_line_is_told(tmp_path: Path) -> None:
    lines = (line(hidden=0), line(), line(step="soon"), line(dp="7"), line().replace("fp16", "fp12"))
    with pytest.raises(DocumentError) as caught:
        read_runs(table(tmp_path, *lines))
    told = [str(fault).partition("runs.csv:")[2] for fault in caught.value.faults]
    assert [one.partition(":")[0] for one in told] == ["2", "4", "5", "6"]
    for words, one in zip(("hidden `0`", "iter_s `soon`", "global batch of 64", "`fp12`"), told, strict=True):
        assert words in one


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column dataset"),
        (HEAD.replace("gbs,", ""), "no column gbs"),
        (HEAD, "no line"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DocumentError, match=words):
        read_runs(table(tmp_path, head=text))


def test_a_file_that_is_no_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DocumentError, match="no UTF-8"):
        read_runs(tmp_path / "raw")
    with pytest.raises(UsageError, match="No such file"):
        read_runs(tmp_path / "absent.csv")


def test_errors_are_summed_up() -> None:
    found = DatasetScore.of("ours", [0.1, -0.3, 0.2])
    assert (found.rows, found.worst) == (3, -0.3)
    assert (found.mape, found.median, found.bias) == pytest.approx((0.2, 0.2, 0.0))


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
    fitted = fit_calibration(made, A100, Calibration(name="start"), name="found")
    errors = [abs(one.error or 0.0) for one in score_runs(made, A100, fitted)]
    assert max(errors) < 0.02
    assert max(abs(one.error or 0.0) for one in score_runs(made, A100, Calibration(name="start"))) > 0.1
    assert fitted.fitted[0].rows == len(shapes)
    for name, (low, high) in BOUNDS.items():
        assert low <= getattr(fitted, name) <= high


def test_too_few_runs_are_not_fitted_to(tmp_path: Path) -> None:
    with pytest.raises(UnsatisfiableError, match="1 measured runs"):
        fit_calibration(read_runs(table(tmp_path, line())), A100, Calibration(name="start"), name="found")
