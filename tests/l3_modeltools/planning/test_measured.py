import pytest

from l0_infra.core.errors import DocumentError
from l3_modeltools.planning.measured import MeasuredRun, read_measured
from l3_modeltools.schemas import Degrees, Recompute, cut_faults

HEADING = (
    "dataset,model,hidden,ffn,layers,heads,kv_heads,vocab,gated_mlp,gpu,precision,gpus,tp,pp,cp,vp,dp,fsdp,ep,mbs,gbs,"
    "seq_len,recompute,iter_s,tokens_per_s_per_gpu,peak_mem_gib,note,source"
)
ROW = (
    "ours,small,2048,5632,30,16,4,32000,1,H100-80GB,bf16,16,2,4,1,1,2,0,1,1,16,4096,none,2.5,1638.4,41.5,,"
    "benchmarks/own.md"
)


def read(*changes: tuple[str, str]) -> MeasuredRun:
    row = ROW
    for old, new in changes:
        assert row.count(old) == 1, old
        row = row.replace(old, new)
    (run,) = read_measured(f"{HEADING}\n{row}\n")
    assert not list(cut_faults(run.setting.strategy, run.setting.architecture, run.setting.sequence_length))
    return run


def test_a_row_becomes_a_setting_and_what_was_measured() -> None:
    run = read()
    strategy = run.setting.strategy
    assert (run.dataset, run.model, run.device, run.framework) == ("ours", "small", "H100-80GB", "megatron")
    assert (run.seconds, run.peak_bytes) == (2.5, 41.5 * 2**30)
    assert strategy.degrees == Degrees(dp=2, tp=2, pp=4, sequence_parallel=True)
    assert run.setting.stages == ((7, 8, 8, 7),)
    assert (strategy.zero_stage, run.setting.microbatches, run.setting.vocabulary) == (1, 8, 32000)
    assert run.setting.architecture.attention.num_attention_heads == 16


def test_cells_may_be_empty() -> None:
    run = read(("2.5", ""), ("41.5", ""), (",16,4,32000", ",16,,32000"), ("0,1,1,16", "0,1,,16"))
    assert (run.seconds, run.peak_bytes) == (None, None)
    assert run.setting.strategy.micro_batch_size == 2
    assert run.setting.microbatches == 4


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
    changes: list[tuple[str, str]], framework: str, recompute: Recompute
) -> None:
    run = read(*changes)
    assert run.framework == framework
    assert run.setting.strategy.recompute == recompute
    assert run.setting.strategy.degrees.sequence_parallel


def test_notes_and_formats_change_the_practice() -> None:
    assert read((",,b", ",ZeRO-1; CE fusion,b")).setting.practice.fused_loss
    assert read(("bf16", "float8")).setting.practice.compute == "fp8"
    assert read((",,b", ",Interleaved1F1B,b")).setting.strategy.degrees.vp == 2


def test_a_bad_table_is_refused_with_every_bad_cell() -> None:
    bad = ROW.replace("2048", "wide").replace("41.5", "much").replace("2.5", "-1")
    with pytest.raises(DocumentError) as raised:
        read_measured(f"{HEADING}\n{ROW}\n{bad}\n", source="runs.csv")
    assert [str(fault) for fault in raised.value.faults] == [
        "runs.csv:3: found hidden `wide`; expected a whole number",
        "runs.csv:3: found iter_s `-1`; expected a number",
        "runs.csv:3: found peak_mem_gib `much`; expected a number",
    ]
    with pytest.raises(DocumentError, match=r"runs.csv:2: found no hidden; expected this column"):
        read_measured("dataset\nours\n", source="runs.csv")
