"""The benchmark of the planner's accuracy reads every table and prints a line for each."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}

TABLES = {
    "runs.csv": """\
dataset,model,hidden,ffn,layers,heads,kv_heads,vocab,gated_mlp,gpu,precision,gpus,tp,pp,cp,vp,dp,fsdp,ep,mbs,gbs,seq_len,recompute,iter_s,tokens_per_s_per_gpu,peak_mem_gib,note,source
ours,small,1024,4096,8,16,16,32000,1,A100-80GB,bf16,2,1,1,1,1,2,1,1,1,8,1024,full,0.5,8192,5,,own
ours,small,1024,4096,8,16,16,32000,1,A100-80GB,bf16,2,1,1,1,1,2,1,1,1,8,1024,full,0.5,8192,,,own
""",
    "simumax_b200_real_vs_perf.csv": """\
case,model,layers_used,tp,pp,dp,cp,ep,seq_len_assumed_4096_if_absent,micro_batch_count,real_peak_alloc_gib,simumax_alloc_gib
one,llama3_70b,2,2,1,4,1,,1024,4,20,19
two,deepseekv3,2,1,1,8,1,8,1024,4,60,66
""",
    "mindformers_sapp_dryrun_peak_mem.csv": """\
model,pp,stage,layers_in_stage,offset,select_recompute_layers,select_comm_recompute_layers,peak_mb,note
llama2-175B-own,4,0,23,-1,2,0,200000,
llama2-175B-own,4,1,24,0,4,8,150000,
llama2-175B-own,4,2,25,1,6,1,120000,
llama2-175B-own,4,3,24,0,2,3,100000,
""",
    "seqsel_activation_memory.csv": """\
model,mode,pct_of_tp_baseline_fig7,gib_per_gpu_fig1
22B,seqsel,16,
22B,none_abs,,60
1T,params_optimizer_abs,,33
""",
}


def test_every_table_is_scored(tmp_path: Path) -> None:
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text, "utf-8")
    command = [sys.executable, "planner_accuracy.py", "memory", "--data", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=ENVIRONMENT, cwd=ROOT / "benchmarks"
    )
    assert done.returncode == 0, done.stderr
    scores = {line[2:46].strip(): line[46:].split() for line in done.stdout.splitlines()[2:]}
    assert {name: score[0] for name, score in scores.items()} == {
        "ours, measured peaks": "1",
        "simumax, with experts": "2",
        "mindformers dry run, nothing fitted": "4",
        "mindformers dry run, a stage left out": "2",
        "seqsel, kept activations in per cent": "1",
        "seqsel, bytes": "2",
    }
    assert scores["simumax, with experts"][-2:] == ["SimuMax", "7.50"]
    assert abs(float(scores["seqsel, kept activations in per cent"][1])) < 2


HEAD = TABLES["runs.csv"].splitlines()[0]
SLOW = "ours,{model},2048,8192,8,16,16,32000,1,A100-80GB,bf16,2,1,1,1,1,2,1,1,1,{batch},2048,{recompute},{step},,,,own"


def test_a_pick_is_held_against_the_fastest(tmp_path: Path) -> None:
    """The planner takes the run that recomputes nothing, which once was the fastest, once a quarter slower.

    A small batch, alone of its kind, is compared by the sequences of a second only.
    """
    rows = [
        SLOW.format(model=model, recompute=recompute, batch=batch, step=step)
        for model, recompute, batch, step in (
            ("good", "none", 64, 1.0),
            ("good", "full", 64, 1.2),
            ("bad", "none", 64, 1.25),
            ("bad", "full", 64, 1.0),
            ("bad", "full", 8, 0.2),
            ("alone", "none", 64, 1.0),
        )
    ]
    (tmp_path / "runs.csv").write_text("\n".join([HEAD, *rows, ""]), "utf-8")
    command = [sys.executable, "planner_accuracy.py", "ranking", "--data", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=ENVIRONMENT, cwd=ROOT / "benchmarks"
    )
    assert done.returncode == 0, done.stderr
    devices, batch = done.stdout.splitlines()[2:]
    for line, name in ((devices, "ours, same devices"), (batch, "ours, same global batch")):
        assert line.split()[: len(name.split())] == name.split()
        assert line.split()[len(name.split()) :][:5] == ["2", "12.50", "12.50", "25.00", "12.50"]
        assert "1 of 2 picked the fastest, 1 within 3%" in line
