"""A table of measured runs: each line a setting and what was measured, each bad cell told."""

from pathlib import Path

import pytest

from l0_infra.core.errors import DocumentError, UsageError
from l3_modeltools.planning.calibrate import MeasuredRun, read_runs
from l3_modeltools.schemas import Degrees, Recompute

HEADING = (
    "dataset,model,hidden,ffn,layers,heads,kv_heads,vocab,gated_mlp,gpu,precision,gpus,tp,pp,cp,vp,dp,fsdp,ep,mbs,gbs,"
    "seq_len,recompute,iter_s,tokens_per_s_per_gpu,peak_mem_gib,note,source"
)
ROW = (
    "ours,small,2048,5632,30,16,4,32000,1,H100-80GB,bf16,16,2,4,1,1,2,0,1,1,16,4096,none,2.5,1638.4,41.5,,"
    "benchmarks/own.md"
)


def row(*changes: tuple[str, str]) -> str:
    text = ROW
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def table(folder: Path, *rows: str, heading: str = HEADING) -> Path:
    path = folder / "runs.csv"
    path.write_text("\n".join((heading, *rows)) + "\n")
    return path


def read(folder: Path, *changes: tuple[str, str]) -> MeasuredRun:
    (run,) = read_runs(table(folder, row(*changes)))
    assert run.refused is None
    return run


def test_a_row_becomes_a_setting_and_what_was_measured(tmp_path: Path) -> None:
    run = read(tmp_path)
    (setting,) = run.settings
    assert (run.line, run.dataset, run.model, run.device) == (2, "ours", "small", "H100-80GB")
    assert (run.framework, run.devices, run.step_s, run.peak_bytes) == ("megatron", 16, 2.5, 41.5 * 2**30)
    assert setting.strategy.degrees == Degrees(dp=2, tp=2, pp=4, sequence_parallel=True)
    assert setting.stages == ((7, 8, 8, 7),)
    assert (setting.strategy.zero_stage, setting.microbatches, setting.vocabulary) == (1, 8, 32000)
    assert setting.architecture.attention.num_attention_heads == 16


def test_a_model_may_be_told_by_name(tmp_path: Path) -> None:
    heading = "dataset,preset,hidden,layers,heads,vocab,gpu,gpus,pp,ep,gbs,seq_len,mbs"
    rows = (
        "ours,deepseek-v3,,,,,H100-80GB,512,16,32,4096,4096,1",
        "ours,,1024,24,16,51200,H100-80GB,8,1,1,64,2048,4",
    )
    named, sized = read_runs(table(tmp_path, *rows, heading=heading))
    (setting,) = named.settings
    assert setting.architecture.name == "deepseek-v3"
    assert (sum(setting.stages[0]), setting.strategy.degrees.ep, setting.vocabulary) == (62, 32, 129280)
    assert sized.settings[0].architecture.hidden_size == 1024


def test_sizes_need_no_columns_where_models_have_names(tmp_path: Path) -> None:
    heading = "dataset,preset,gpu,gpus,gbs,seq_len,mbs"
    (run,) = read_runs(table(tmp_path, "ours,llama-3.1-8b,H100-80GB,8,64,8192,1", heading=heading))
    assert run.settings[0].architecture.num_hidden_layers == 32
    with pytest.raises(DocumentError, match="hidden") as without:
        read_runs(table(tmp_path, "ours,,H100-80GB,8,64,8192,1", heading=heading))
    assert without.value.faults[0].where == f"{tmp_path / 'runs.csv'}:2"
    with pytest.raises(DocumentError, match="no-such-model"):
        read_runs(table(tmp_path, "ours,no-such-model,H100-80GB,8,64,8192,1", heading=heading))


def test_a_few_columns_are_enough(tmp_path: Path) -> None:
    heading = "dataset,hidden,layers,heads,vocab,gpu,gpus,gbs,seq_len,mbs"
    (run,) = read_runs(table(tmp_path, "ours,1024,24,16,51200,A100-80GB,8,64,2048.0,4", heading=heading))
    (setting,) = run.settings
    assert setting.strategy.degrees == Degrees(dp=8)
    assert (setting.architecture.mlp.intermediate_size, setting.sequence_length) == (4096, 2048)
    assert (run.step_s, run.peak_bytes) == (None, None)


def test_cells_may_be_empty(tmp_path: Path) -> None:
    run = read(tmp_path, ("2.5", ""), ("41.5", ""), (",16,4,32000", ",16,,32000"), ("0,1,1,16", "0,1,,16"))
    assert run.step_s == pytest.approx(16 * 4096 / 1638.4 / 16)
    assert run.peak_bytes is None
    assert [one.strategy.micro_batch_size for one in run.settings] == [1, 2, 4, 8]


def test_torchtitan_makes_as_many_micro_batches_as_stages(tmp_path: Path) -> None:
    run = read(tmp_path, ("ours", "torchtitan"), ("0,1,1,16", "1,1,,16"), (",,b", ",Interleaved1F1B,b"))
    (setting,) = run.settings
    assert (setting.microbatches, setting.strategy.degrees.vp) == (4, 2)


def test_llama_3_interleaves_as_it_fits(tmp_path: Path) -> None:
    run = read(tmp_path, ("ours", "llama3_table4"), ("2,4,1,1,2,0", "2,4,1,,2,1"))
    assert [one.strategy.degrees.vp for one in run.settings] == [1, 2, 4]


@pytest.mark.parametrize(
    ("changes", "framework", "recompute"),
    [
        ([(",0,1,1,16", ",1,1,1,16"), ("none", "full")], "torchtitan", Recompute(mode="full")),
        ([("ours", "mosaicml")], "llm-foundry", Recompute()),
        ([("ours", "seqsel_tab5"), ("none", "selective+SP")], "megatron-2022", Recompute(mode="selective")),
        ([("ours", "torchtitan"), (",,b", ",FSDP,b")], "torchtitan-eager", Recompute()),
        ([("ours", "torchtitan"), (",,b", ",FSDP+compile,b")], "torchtitan", Recompute()),
        ([("ours", "torchtitan"), (",,b", ",FSDP+compile,202412_b")], "torchtitan-2024", Recompute()),
    ],
)
def test_what_trained_follows_from_the_row(
    tmp_path: Path, changes: list[tuple[str, str]], framework: str, recompute: Recompute
) -> None:
    run = read(tmp_path, *changes)
    assert run.framework == framework
    assert run.settings[0].strategy.recompute == recompute
    assert run.settings[0].strategy.degrees.sequence_parallel


def test_a_column_may_name_the_framework(tmp_path: Path) -> None:
    (run,) = read_runs(table(tmp_path, f"{ROW},deepspeed", heading=f"{HEADING},framework"))
    assert run.framework == "deepspeed"
    with pytest.raises(DocumentError, match="found framework `mine`; expected one of deepspeed"):
        read_runs(table(tmp_path, f"{ROW},mine", heading=f"{HEADING},framework"))


def test_notes_and_formats_change_the_practice(tmp_path: Path) -> None:
    practice = read(tmp_path, (",,b", ",ZeRO-1; CE fusion; asyncTP,b")).settings[0].practice
    assert practice.fused_loss and practice.overlap_tp
    assert read(tmp_path, ("bf16", "float8")).settings[0].practice.compute == "fp8"
    sharded = read(tmp_path, (",,b", ",sharding=SHARD_GRAD_OP,b")).settings[0]
    assert sharded.strategy.zero_stage == 2


def test_a_cut_that_is_not_legal_is_refused_with_its_reason(tmp_path: Path) -> None:
    (run,) = read_runs(table(tmp_path, row(("16,2,4,1,1,2", "24,3,4,1,1,2"))))
    assert run.settings == ()
    assert "a tp that divides num_attention_heads" in (run.refused or "")


def test_more_stages_than_layers_are_refused_before_any_table_of_them(tmp_path: Path) -> None:
    (run,) = read_runs(table(tmp_path, row(("16,2,4,1,1,2", "16,2,4,1,999999,2"))))
    assert "3999996 stages for 30 layers" in (run.refused or "")


def test_every_bad_cell_is_told(tmp_path: Path) -> None:
    bad = [
        (("2048", "wide"),),
        (("41.5", "much"),),
        (("2.5", "-1"),),
        (("2048", "20.5"),),
        (("bf16", "fp12"),),
        (("16,2,4,1,1,2", "16,2,4,1,1,3"),),
        (("16,2,4,1,1,2", "40,2,4,1,1,5"),),
        ((",16,4,", ",4096,4,"),),
        (("5632,30,", "5632,1000000000,"),),
        (("16,2,4,1,1,2", "16,2,4,1,1000000000,2"),),
    ]
    with pytest.raises(DocumentError) as raised:
        read_runs(table(tmp_path, ROW, *(row(*changes) for changes in bad)))
    told = [str(fault).partition("runs.csv:")[2] for fault in raised.value.faults]
    assert [one.partition(":")[0] for one in told] == [str(line) for line in range(3, 13)]
    words = (
        "hidden `wide`",
        "peak_mem_gib `much`",
        "iter_s `-1`",
        "hidden `20.5`",
        "`fp12`",
        "with 16 gpus",
        "gbs 16",
        "hidden_size 2048 = 4096",
        "a whole number from 1 to 10,000",
        "a whole number from 1 to 1,000,000",
    )
    for word, one in zip(words, told, strict=True):
        assert word in one


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "no column dataset"), (HEADING.replace("gbs,", "") + "\n", "no column gbs"), (HEADING, "no line")],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "runs.csv").write_text(text)
    with pytest.raises(DocumentError, match=words):
        read_runs(tmp_path / "runs.csv")


def test_a_file_that_is_no_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DocumentError, match="no UTF-8"):
        read_runs(tmp_path / "raw")
    with pytest.raises(UsageError, match="No such file"):
        read_runs(tmp_path / "absent.csv")
