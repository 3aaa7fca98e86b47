"""The job of a run: what its tasks are, what they cost, when it is tried again."""

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.documents import parse_document, render_document
from l0_infra.core.errors import UnsatisfiableError
from l2_scheduler.schemas import Job, Resources
from l3_modeltools.frameworks import Container, find_container, render_job, resolve_command
from l3_modeltools.schemas import Framework, Notification, Resilience, Train
from tests.support.runs import a_command, a_run, a_train

PYTHON = "/opt/python"
HASH = "sha256:" + "a" * 64
APPTAINER = Container(kind="apptainer", program="/usr/bin/apptainer")
ENROOT = Container(kind="enroot", program="/usr/bin/enroot")


def render(train: Train, container: Container | None = None) -> Job:
    return render_job(a_run(train), python=PYTHON, container=container)


def test_ogai_s_trainer_is_one_supervisor_on_the_run_s_directory() -> None:
    wished = Resources(tasks_per_node=4, cpus_per_task=3, memory_bytes_per_node=2**33)
    job = render(a_train(resources=wished))
    assert job.command == (PYTHON, "-m", "l3_modeltools.resilience.supervisor", "/runs/small-1")
    assert job.resources == msgspec.structs.replace(wished, tasks_per_node=1, cpus_per_task=12)
    assert job.environment == {
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "3",
        "PYTHONSAFEPATH": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": str(int(job.limits.grace_s) - 10),
    }
    assert job.directory == "/runs/small-1"


def test_accelerators_count_as_ranks_and_nodes_meet_where_the_engine_says() -> None:
    job = render(a_train(resources=Resources(nodes=2, gpus_per_node=8, cpus_per_task=6)))
    words = " ".join(job.command)
    assert "--nnodes 2 --nproc-per-node 8 --max-restarts 0" in words
    assert "--rdzv-backend c10d --rdzv-id small-1" in words and "--standalone" not in words
    assert job.resources == Resources(nodes=2, gpus_per_node=8, cpus_per_task=48)


def test_secret_addresses_of_webhooks_are_secrets_of_the_job() -> None:
    notify = (
        Notification(webhook_from="CHAT_URL"),
        Notification(webhook="https://example.org/hook"),
        Notification(webhook_from="PAGER_URL", on=("fault",)),
        Notification(webhook_from="CHAT_URL", on=("finish",)),
    )
    job = render(a_train(notify=notify))
    assert job.secrets == ("CHAT_URL", "PAGER_URL")
    assert "CHAT_URL" not in job.environment


@pytest.mark.parametrize("train", [a_train(), a_command("true")])
def test_the_job_carries_the_run_s_name_queue_inputs_and_budget_of_restarts(train: Train) -> None:
    wished = Resilience(max_restarts=7, backoff_s=2.5)
    run = a_run(msgspec.structs.replace(train, queue="night", resilience=wished))
    job = render_job(run, python=PYTHON, inputs=[HASH])
    assert (job.name, job.queue, job.inputs) == ("small-1", "night", (HASH,))
    assert (job.retry.limit, job.retry.backoff_s, job.retry.restartable) == (7, 2.5, True)
    assert job.limits.grace_s >= 120
    assert job.retry.final_exit_codes == (() if train.command else (2, 3, 4, 6))
    assert parse_document(render_document(job), source="job.yaml", expect=Job) == job


def test_a_command_is_every_task_and_its_environment_cannot_hide_the_run() -> None:
    train = a_command(
        *("python", "train.py"),
        tasks=2,
        directory="/home/me",
        environment={"A": "b", "OGAI_RUN_DIR": "/elsewhere", "OMP_NUM_THREADS": "8"},
        secrets=("HF_TOKEN",),
    )
    job = render(train)
    assert job.command[:3] == (PYTHON, "-I", "-S")
    assert Path(job.command[3]).is_file()
    assert job.command[4:] == ("python", "train.py")
    assert job.resources.tasks_per_node == 2
    assert (job.directory, job.secrets) == ("/home/me", ("HF_TOKEN",))
    told = {"A": "b", "OGAI_RUN_DIR": "/runs/small-1", "OMP_NUM_THREADS": "8", "LOCAL_WORLD_SIZE": "2"}
    assert told.items() <= job.environment.items()


@pytest.mark.parametrize("framework", ["megatron", "torchtitan", "deepspeed", "mindformers"])
def test_a_framework_that_is_not_there_yet_is_refused_with_a_way_out(framework: Framework) -> None:
    with pytest.raises(UnsatisfiableError, match=framework) as caught:
        render(a_train(framework=framework))
    assert "framework: command" in caught.value.hint


IMAGE = a_command(
    *("python", "train.py"),
    image="/images/torch.img",
    directory="/home/me",
    environment={"A": "b"},
    secrets=("HF_TOKEN",),
)


def test_apptainer_runs_the_command_within_its_image() -> None:
    assert render(IMAGE, APPTAINER).command[4:] == (
        *("/usr/bin/apptainer", "exec", "--bind", "/runs/small-1", "--bind", "/home/me"),
        *("--bind", "{OGAI_JOB_DIR}", "--pwd", "/home/me", "/images/torch.img", "python", "train.py"),
    )
    gpus = msgspec.structs.replace(IMAGE, resources=Resources(gpus_per_node=1))
    assert render(gpus, APPTAINER).command[5:7] == ("exec", "--nv")


def test_enroot_is_told_every_variable_by_name_and_no_value() -> None:
    command = render(IMAGE, ENROOT).command[4:]
    assert command[:4] == ("/usr/bin/enroot", "start", "--mount", "/runs/small-1:/runs/small-1")
    assert "{OGAI_JOB_DIR}:{OGAI_JOB_DIR}" in command
    at = command.index("/images/torch.img")
    assert command[at + 1 :] == ("sh", "-c", 'cd "$0" && exec "$@"', "/home/me", "python", "train.py")
    names = {name for flag, name in pairwise(command[:at]) if flag == "--env"}
    assert {"A", "HF_TOKEN", "RANK", "MASTER_PORT", "OGAI_RESUME_DIR", "OGAI_METRICS", "OGAI_EVENTS"} <= names
    assert not any("=" in name for name in names)


def test_an_image_without_what_runs_it_is_refused() -> None:
    with pytest.raises(UnsatisfiableError, match=r"torch\.img.*neither apptainer nor enroot"):
        render(IMAGE)


@pytest.mark.parametrize(
    ("programs", "kind"),
    [
        ({"apptainer": None, "singularity": None, "enroot": None}, None),
        ({"enroot": "/e"}, Container(kind="enroot", program="/e")),
        ({"singularity": "/s", "enroot": "/e"}, Container(kind="apptainer", program="/s")),
        ({"apptainer": "/a", "singularity": "/s"}, Container(kind="apptainer", program="/a")),
    ],
)
def test_the_program_that_is_there_is_chosen(programs: dict[str, str | None], kind: Container | None) -> None:
    assert find_container(programs) == kind


@pytest.mark.parametrize(
    ("image", "resolved"),
    [
        ("torch.sif", "/home/me/jobs/torch.sif"),
        ("/images/torch.sqsh", "/images/torch.sqsh"),
        ("docker://pytorch/pytorch", "docker://pytorch/pytorch"),
        ("https://images/torch.sif", "https://images/torch.sif"),
        ("pytorch", "pytorch"),
        (None, None),
    ],
)
def test_paths_of_a_command_are_relative_to_its_document(image: str | None, resolved: str | None) -> None:
    train = resolve_command(
        a_command("x", image=image, directory="../code"), base=Path("/home/me/jobs"), here=Path("/tmp")
    )
    assert train.command is not None
    assert (train.command.image, train.command.directory) == (resolved, "/home/me/code")


def test_a_command_without_a_directory_begins_where_it_was_submitted() -> None:
    train = resolve_command(a_command("x"), base=Path("/home/me/jobs"), here=Path("/tmp"))
    assert train.command is not None and train.command.directory == "/tmp"
    assert resolve_command(a_train(), base=Path("/home"), here=Path("/tmp")) == a_train()
