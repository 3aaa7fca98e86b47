"""The project's own trainer: on each node one program, which starts a process for each rank."""

import msgspec

from l2_scheduler.schemas import Resources
from l3_modeltools.frameworks.launch import GRACE_S, Launch
from l3_modeltools.runs import FINAL
from l3_modeltools.schemas import Run

__all__ = ["ogai_launch"]

SUPERVISOR = "l3_modeltools.resilience.supervisor"
LAUNCHER, TRAINER = "l3_modeltools.training.launch", "l3_modeltools.training"
LAST_WORD_S = 10
"""What torchrun keeps of the grace to end itself after its workers."""


def ogai_launch(run: Run, python: str) -> Launch:
    """Launch the trainer on the run's directory: one rank for each accelerator, or for each task on nodes without.

    On one node a supervisor keeps the ranks. On several, torchrun starts them and they meet at PET_RDZV_ENDPOINT
    (`host:port` of one node), which the engine that places the nodes must set.
    """
    wished = run.train.resources
    ranks = run.train.ranks_per_node
    return Launch(
        command=(python, "-m", *_program(run, ranks)),
        environment={
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": str(wished.cpus_per_task),
            "PYTHONSAFEPATH": "1",  # nothing in the run's directory is taken for a module
            "TOKENIZERS_PARALLELISM": "false",
            "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": str(int(GRACE_S) - LAST_WORD_S),
        },
        resources=_one_task(wished, ranks),
        directory=run.directory,
        secrets=tuple(sorted({told.webhook_from for told in run.train.notify if told.webhook_from})),
        final_exit_codes=FINAL,
    )


def _program(run: Run, ranks: int) -> tuple[str, ...]:
    nodes = run.train.resources.nodes
    if nodes == 1:
        return (SUPERVISOR, run.directory)
    return (
        *(LAUNCHER, "--nnodes", str(nodes), "--nproc-per-node", str(ranks), "--max-restarts", "0"),
        *("--rdzv-backend", "c10d", "--rdzv-id", run.run_id),
        *("-m", TRAINER, run.directory),
    )


def _one_task(wished: Resources, ranks: int) -> Resources:
    return msgspec.structs.replace(wished, tasks_per_node=1, cpus_per_task=wished.cpus_per_task * ranks)
