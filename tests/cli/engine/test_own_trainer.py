"""Trainers of the user's own, through the real engine: told what they need, heard, killed and resumed."""

import json
import os
import signal
import sys
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.documents import read_document
from l2_scheduler.schemas import JobStatus
from l3_modeltools.frameworks import find_container, render_job, resolve_command
from l3_modeltools.runs import Happened, Metric, create_run, judge_run, read_metrics, read_starts
from l3_modeltools.schemas import Run, Train
from tests.support.runs import a_command
from tests.support.world import World, eventually, write_tool

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[3]
PATIENCE_S = 150.0
"""For programs that import torch on a machine that others use too."""

PLAIN = """
import json, os
with open(os.environ["OGAI_METRICS"], "a") as metrics:
    for step in range(1, 4):
        metrics.write(json.dumps({"step": step, "train_loss": 4 / step, "epoch": 1}) + chr(10))
with open(os.environ["OGAI_RUN_DIR"] + "/seen.json", "w") as seen:
    json.dump(dict(os.environ), seen)
"""
SUM_OF_RANKS = """
import json, os
import torch, torch.distributed as dist
dist.init_process_group("gloo", init_method="env://")
total = torch.tensor(float(dist.get_rank() + 1))
dist.all_reduce(total)
if dist.get_rank() == 0:
    with open(os.environ["OGAI_METRICS"], "a") as metrics:
        metrics.write(json.dumps({"step": dist.get_world_size(), "loss": total.item()}) + chr(10))
dist.destroy_process_group()
"""
TENSORBOARD = """
import os
from torch.utils.tensorboard import SummaryWriter
with SummaryWriter(os.environ["OGAI_TENSORBOARD_DIR"]) as writer:
    for step in (1, 2):
        writer.add_scalar("Loss/train", 1 / step, step)
        writer.add_scalar("eval/loss", 2 / step, step)
"""
ANNOUNCES = """
import json, os, sys
resume = os.environ["OGAI_RESUME_DIR"]
with open(os.environ["OGAI_METRICS"], "a") as metrics:
    metrics.write(json.dumps({"step": 2 if resume else 1, "resume": resume}) + chr(10))
if not resume:
    os.makedirs(os.environ["OGAI_RUN_DIR"] + "/saves/first")
    with open(os.environ["OGAI_EVENTS"], "a") as events:
        events.write(json.dumps({"at": 1, "event": "saved", "step": 1, "directory": "saves/first"}) + chr(10))
    os.kill(os.getpid(), 9)
"""
APPTAINER = """
import json, os, sys
at = sys.argv.index("/images/own.img")
with open(os.environ["OGAI_RUN_DIR"] + "/apptainer.json", "w") as file:
    json.dump(sys.argv[1:at], file)
os.execv(sys.argv[at + 1], sys.argv[at + 1 :])
"""


def submit(world: World, train: Train, **environment: str) -> tuple[Run, str]:
    """Submit a training as `ogai train submit` does; returns its run and its job's id."""
    run = create_run(world.folder.parent / "runs", train, submitted_at=1.0)
    container = find_container({"apptainer": str(world.folder.parent / "bin" / "apptainer")})
    job = render_job(run, python=sys.executable, container=container)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shell = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", **environment}
    (job_id,) = world.engine.submit(job, environment=shell, directory=world.folder)
    return msgspec.structs.replace(run, job_ids=(job_id,)), job_id


def finish(world: World, job_id: str) -> JobStatus:
    (status,) = world.engine.wait([job_id], PATIENCE_S)
    assert status.state == "COMPLETED", (status.reason, world.log(job_id, status.attempt))
    return status


def metrics_of(run: Run) -> tuple[Metric, ...]:
    return read_metrics(Path(run.directory))


def test_a_plain_program_is_told_everything_and_its_json_lines_are_heard(world: World) -> None:
    train = a_command(sys.executable, "-c", PLAIN, secrets=("OWN_TOKEN",))
    run, job_id = submit(world, train, OWN_TOKEN="hush")
    status = finish(world, job_id)
    metrics = metrics_of(run)
    assert [(metric.step, metric.loss) for metric in metrics] == [(1, 4.0), (2, 2.0), (3, 4 / 3)]
    judged = judge_run(run, status, None, metrics)
    assert (judged.state, judged.step) == ("COMPLETED", 3)
    told = json.loads(Path(run.directory, "seen.json").read_text())
    assert told["OGAI_RUN_ID"] == "mine-1" and told["OWN_TOKEN"] == "hush"
    assert (told["RANK"], told["WORLD_SIZE"], told["OGAI_RESUME_DIR"]) == ("0", "1", "")
    written = [file for file in Path(run.directory).iterdir() if file.name != "seen.json"]
    assert not any(b"hush" in file.read_bytes() for file in written)


def test_torchrun_within_one_task_meets_where_the_variables_say(world: World) -> None:
    (world.folder / "sum.py").write_text(SUM_OF_RANKS)
    meet = ("--master-addr={MASTER_ADDR}", "--master-port={MASTER_PORT}")
    train = a_command("torchrun", "--nnodes=1", "--nproc-per-node=2", *meet, "sum.py")
    run, job_id = submit(world, train)
    finish(world, job_id)
    assert [(metric.step, metric.loss) for metric in metrics_of(run)] == [(2, 3.0)]


def test_two_tasks_are_two_ranks_without_torchrun(world: World) -> None:
    run, job_id = submit(world, a_command(sys.executable, "-c", SUM_OF_RANKS, tasks=2))
    finish(world, job_id)
    assert [(metric.step, metric.loss) for metric in metrics_of(run)] == [(2, 3.0)]


def test_tensorboard_s_files_alone_are_heard_too(world: World) -> None:
    run, job_id = submit(world, a_command(sys.executable, "-c", TENSORBOARD))
    finish(world, job_id)
    found = [(metric.step, metric.loss, metric.validation_loss) for metric in metrics_of(run)]
    assert found == [(1, 1.0, 2.0), (2, 0.5, 1.0)]


def test_an_announced_checkpoint_is_resumed_from_after_a_kill(world: World) -> None:
    run, job_id = submit(world, a_command(sys.executable, "-c", ANNOUNCES))
    status = finish(world, job_id)
    first, second = metrics_of(run)
    assert first.extra == {"resume": ""}
    assert second.extra == {"resume": f"{run.directory}/saves/first"}
    starts = read_starts([world.engine.layout.events(job_id)])
    judged = judge_run(run, status, None, (first, second), happened=Happened(starts=starts))
    assert (judged.step, len(judged.restarts)) == (2, 1)


def test_the_example_killed_in_its_course_ends_as_if_nothing_had_been(world: World) -> None:
    folder = ROOT / "examples" / "command"
    train = resolve_command(read_document(folder / "train.yaml", expect=Train), base=folder, here=folder)
    train = msgspec.structs.replace(train, steps=800)
    undisturbed, its_job = submit(world, train, STEPS="800")
    run, job_id = submit(world, train, STEPS="800")
    eventually(lambda: len(metrics_of(run)) >= 120, patience_s=PATIENCE_S)
    os.kill(trainer_of(run), signal.SIGKILL)
    status = finish(world, job_id)
    assert status.attempt == 2
    assert "going on after step" in world.log(job_id, 2)
    finish(world, its_job)
    wanted = [(metric.step, metric.loss) for metric in metrics_of(undisturbed)]
    assert len(wanted) == 800
    assert [(metric.step, metric.loss) for metric in metrics_of(run)] == wanted


def test_a_command_runs_within_its_image(world: World) -> None:
    write_tool(world.folder.parent / "bin", "apptainer", APPTAINER)
    train = a_command(sys.executable, "-c", PLAIN, image="/images/own.img", directory=str(world.folder))
    run, job_id = submit(world, train)
    finish(world, job_id)
    options = json.loads(Path(run.directory, "apptainer.json").read_text())
    binds = {folder for flag, folder in pairwise(options) if flag == "--bind"}
    assert binds == {run.directory, str(world.folder), world.status(job_id).directory}
    assert len(metrics_of(run)) == 3


def trainer_of(run: Run) -> int:
    """Return the process of the run's trainer."""
    mark = f"OGAI_RUN_ID={run.run_id}\0".encode()
    (pid,) = [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdecimal()
        and b"train.py" in _read(entry / "cmdline")
        and mark in _read(entry / "environ")
    ]
    return pid


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
