"""The project's own trainer, dry: its model, its steps and its optimizer, as they are, on tensors without memory."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from transformers import AttentionInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from l0_infra.core.errors import Fault
from l3_modeltools.data import Batch
from l3_modeltools.planning.cost import Setting
from l3_modeltools.resilience import Phase
from l3_modeltools.schemas import Compute, Optimizer, Train
from l3_modeltools.training.dryrun.record import Ledger, Tally, Watch
from l3_modeltools.training.dryrun.refuse import dry_run_faults, require
from l3_modeltools.training.dryrun.report import DryRun, StageRun, TensorBytes
from l3_modeltools.training.model import build_model
from l3_modeltools.training.objectives.tokens import NextToken
from l3_modeltools.training.optimizer import make_optimizer
from l3_modeltools.training.parallel import spread
from l3_modeltools.training.step import NOTHING, Stepper
from l3_modeltools.training.world import World

__all__ = ["dry_run_trainer", "run_trainer"]

UNMASKED = "sdpa_without_a_mask"
"""Fused attention as transformers calls it where it finds that there is one sequence a row; where nothing is computed
it looks for others and finds no answer."""


def dry_run_trainer(setting: Setting) -> DryRun:
    """Run the second step of a training: from then on the optimizer has its states.

    Raises UnsatisfiableError for a strategy that is illegal or has a degree above 1.
    """
    require((*dry_run_faults(setting), *_faults(setting)))
    with FakeTensorMode(allow_non_fake_inputs=True):
        return run_trainer(setting, fake=True)


def run_trainer(setting: Setting, *, fake: bool = False) -> DryRun:
    """Run two steps and tell of the second: of real tensors, unless a mode that makes fake ones is on."""
    ledger = Ledger()
    with Watch(ledger, answers=fake) as watch:
        trainer = _Trainer(setting, ledger, fake=fake)
        trainer.step()
        watch.tally = Tally()
        held = ledger.sums()
        course, moment = trainer.step()
    return DryRun(
        engine="trainer",
        world_size=1,
        microbatches=setting.microbatches,
        stages=(_told(setting, watch.tally, held + course, moment),),
    )


def _told(setting: Setting, tally: Tally, peak: TensorBytes, moment: str) -> StageRun:
    return StageRun(
        stage=0,
        layers=setting.architecture.num_hidden_layers,
        in_flight=1.0,
        peak=peak,
        moment=moment,
        operators=tally.counts(),
        flops=tally.flops,
        traffic=tally.traffic(),
    )


def _faults(setting: Setting) -> Iterator[Fault]:
    degrees = setting.strategy.degrees
    for name in ("dp", "tp", "pp", "cp", "ep"):
        degree = getattr(degrees, name)
        if degree > 1:
            expected = f"{name} 1 with the trainer's own model, or the model that is cut by hand (`torch`)"
            yield Fault(path=("degrees", name), found=f"{name} {degree}", expected=expected)


def _leave_masks_out(model: nn.Module) -> None:
    if isinstance(model, PreTrainedModel) and model.config._attn_implementation == "sdpa":
        AttentionInterface.register(UNMASKED, sdpa_attention_forward)
        model.set_attn_implementation(UNMASKED)


class _Trainer:
    """What the trainer makes before its first step."""

    def __init__(self, setting: Setting, ledger: Ledger, *, fake: bool) -> None:
        world = World(rank=0, size=1, device=torch.device("cpu"))
        self.ledger = ledger
        with ledger.purpose("weights"):
            train = Train(name="dry-run")
            self.model = build_model(train, setting.architecture, seed=0)
        if fake:
            _leave_masks_out(self.model)
        compute = Compute(precision="fp32" if setting.practice.compute == "fp32" else "bf16")
        self.parallel = spread(self.model, world=world, strategy=setting.strategy, compute=compute)
        self.phases = _Phases(ledger=ledger, model=self.model)
        self.stepper = Stepper(
            self.parallel,
            NextToken(),
            make_optimizer(Optimizer(), self.model),
            world=world,
            max_grad_norm=1.0,
            enter=self.phases.enter,
        )
        self.batches = [_batch(setting) for _ in range(setting.microbatches)]
        if isinstance(self.model, PreTrainedModel):
            self.model.get_output_embeddings().register_forward_hook(self._name_logits)  # type: ignore[no-untyped-call]

    def step(self) -> tuple[TensorBytes, str]:
        """Take one step; tell of its fullest moment, beyond what is held, and when it was."""
        with self.ledger.action() as proposing:
            proposal = self.stepper.propose(self.batches, NOTHING)
            self.phases.end()
        with self.ledger.action() as updating, self.ledger.purpose("optimizer"):
            self.stepper.update(proposal, rate=1e-4)
            del proposal
        reached = proposing.course.left + updating.course.peak
        if reached.total > proposing.course.peak.total:
            return reached, "optimizer"
        return proposing.course.peak, "forward or backward"

    def _name_logits(self, module: nn.Module, inputs: object, logits: Tensor) -> None:
        self.ledger.name(logits, "logits")


@dataclass(kw_only=True, slots=True)
class _Phases:
    """Hears of the phases of a step, so that the ledger knows forward passes, and gradients when they are there."""

    ledger: Ledger
    model: nn.Module
    forward: ExitStack = field(default_factory=ExitStack)

    def enter(self, phase: Phase) -> None:
        """A phase begins."""
        self.end()
        if phase == "forward":
            self.forward.enter_context(self.ledger.forward())

    def end(self) -> None:
        """The phase before has ended."""
        self.forward.close()
        for parameter in self.model.parameters():
            if parameter.grad is not None:
                self.ledger.name(parameter.grad, "gradients")


def _batch(setting: Setting) -> Batch:
    shape = setting.strategy.micro_batch_size, setting.sequence_length
    return Batch(
        input_ids=torch.zeros(shape, dtype=torch.int64), labels=torch.zeros(shape, dtype=torch.int64)
    )
