"""What learns: the model with its first weights, spread over the ranks, what it minimises, and what changes it."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch.optim import Optimizer

from l0_infra.core.units import format_count
from l3_modeltools.training.model import build_model
from l3_modeltools.training.objectives import Objective, objective_of
from l3_modeltools.training.optimizer import make_optimizer
from l3_modeltools.training.parallel import ParallelModel, spread, spread_frozen
from l3_modeltools.training.plan import Plan
from l3_modeltools.training.world import World

__all__ = ["Learner", "describe", "make_learner", "name_device"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Learner:
    """A model, its objective and its optimizer."""

    model: ParallelModel
    objective: Objective
    optimizer: Optimizer


def make_learner(plan: Plan, *, world: World) -> Learner:
    """Make what learns, with its first weights; DPO's reference is taken before the model is spread."""
    model = build_model(plan.train, plan.architecture, seed=plan.data.seed).to(world.device)
    model.train()
    objective = objective_of(plan.train, model)
    parallel = spread(model, world=world, strategy=plan.strategy, compute=plan.train.compute)
    if objective.reference is not None:
        spread_frozen(objective.reference, world=world, strategy=plan.strategy, compute=plan.train.compute)
    optimizer = make_optimizer(plan.train.optimizer, model)
    return Learner(model=parallel, objective=objective, optimizer=optimizer)


def describe(plan: Plan, learner: Learner, *, world: World) -> str:
    """Say in two lines what is trained, on what and where."""
    parameters = list(learner.model.inner.parameters())
    total = sum(one.numel() for one in parameters)
    trained = sum(one.numel() for one in parameters if one.requires_grad)
    which = "all trained" if trained == total else f"{trained:,} of them trained"
    sharing = f"ZeRO {plan.strategy.zero_stage} (FSDP)" if learner.model.is_sharded else "copies (DDP)"
    ranks = "1 rank" if world.size == 1 else f"{world.size} ranks, {sharing},"
    data = ", ".join(Path(part.dataset).parent.name for part in plan.data.mixture if part.weight)
    samples = f"{plan.data.global_batch_size} samples of up to {plan.data.sequence_length} tokens of {data}"
    return (
        f"run {plan.run.run_id}: {plan.architecture.name}, {total:,} parameters, {which};"
        f" {ranks} on {name_device(world.device)}, {plan.train.compute.precision}\n"
        f"{plan.steps} steps of {samples}"
    )


def name_device(device: torch.device) -> str:
    """Name a device as its driver does; a CPU by the threads a rank has."""
    if device.type == "cpu":
        return f"cpu ({format_count(torch.get_num_threads(), 'thread')} a rank)"
    return str(getattr(torch, device.type).get_device_name(device))
