"""A training as a person wishes it: which model, on which data, for how long, with what."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, field

from l0_infra.core.documents import Document, EnvironmentName, Name, Part, Positive, Text, below
from l0_infra.core.errors import Fault
from l2_scheduler.schemas import Resources
from l3_modeltools.schemas.architecture import Architecture
from l3_modeltools.schemas.cut import batch_faults, cut_faults
from l3_modeltools.schemas.notification import Notification
from l3_modeltools.schemas.objective import Dpo, Pretrain, Sft
from l3_modeltools.schemas.optimizer import Optimizer
from l3_modeltools.schemas.resilience import Checkpointing, Resilience
from l3_modeltools.schemas.strategy import Strategy
from l3_modeltools.schemas.trained_model import TrainedModel
from l3_modeltools.schemas.training_data import TrainingData

__all__ = ["Compute", "Framework", "Train", "TrainerCommand", "Validation"]

MODEL = {"architecture": {"kind": "preset", "name": "tiny-llama"}}
DATA = {"mixture": [{"dataset": "python-stdlib"}], "sequence_length": 256, "global_batch_size": 16}
"""A small training, for examples."""

Framework = Literal["ogai", "megatron", "torchtitan", "deepspeed", "mindformers", "command"]


class TrainerCommand(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A trainer of the user's own."""

    argv: Annotated[
        tuple[str, ...], Meta(min_length=1, description="Program and arguments, without a shell.")
    ]
    directory: Annotated[
        Text | None,
        Meta(description="Directory it begins in, relative to this file; null: where it is submitted."),
    ] = None
    image: Annotated[
        Text | None,
        Meta(
            description="Container image it runs in: a .sif or .sqsh file, relative to this one, or a URI; null: none."
        ),
    ] = None
    environment: Annotated[dict[EnvironmentName, str], Meta(description="Variables it gets.")] = field(
        default_factory=dict
    )
    secrets: Annotated[
        tuple[EnvironmentName, ...],
        Meta(description="Variables taken from the submitting shell whose values are never shown."),
    ] = ()


class Compute(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the arithmetic is done."""

    precision: Annotated[Literal["bf16", "fp32"], Meta(description="Of activations and products.")] = "bf16"
    compile: Annotated[bool, Meta(description="Whether the model is compiled first.")] = False


class Validation(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is looked at during training."""

    every_steps: Annotated[Positive, Meta(description="How often.")] = 100
    prompts: Annotated[tuple[Text, ...], Meta(description="Texts that the model goes on with.")] = ()
    max_new_tokens: Annotated[Positive, Meta(description="Tokens it adds to each.")] = 64


class Train(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="train"):
    """A training: a model, data, length, and what it runs on."""

    name: Annotated[Name, Meta(description="Short name; a run of it gets an id of its own.")]
    framework: Annotated[
        Framework, Meta(description="What trains; `ogai`: the project's own trainer; `command`: yours.")
    ] = "ogai"
    command: Annotated[
        TrainerCommand | None, Meta(description="Your trainer, with the framework `command`.")
    ] = None
    model: Annotated[
        TrainedModel | None, Meta(description="The model; null: your command knows.", examples=[MODEL])
    ] = None
    objective: Annotated[Pretrain | Sft | Dpo, Meta(description="What is learnt.")] = Pretrain()
    data: Annotated[
        TrainingData | None, Meta(description="The data; null: your command knows.", examples=[DATA])
    ] = None
    steps: Annotated[
        Positive | None, Meta(description="Optimizer steps; null: your command knows.", examples=[400])
    ] = None
    optimizer: Annotated[Optimizer, Meta(description="How weights are changed.")] = Optimizer()
    compute: Annotated[Compute, Meta(description="How the arithmetic is done.")] = Compute()
    validation: Annotated[Validation, Meta(description="What is looked at on the way.")] = Validation()
    checkpoint: Annotated[Checkpointing, Meta(description="When state is saved.")] = Checkpointing()
    resilience: Annotated[Resilience, Meta(description="What happens after a fault.")] = Resilience()
    notify: Annotated[
        tuple[Notification, ...], Meta(description="Who is told of faults and of the end.")
    ] = ()
    resources: Annotated[Resources, Meta(description="What it needs to start.")] = Resources()
    queue: Annotated[Name, Meta(description="Queue it waits in.")] = "default"
    strategy: Annotated[Strategy | None, Meta(description="How the model is cut; null: planned.")] = None

    def faults(self) -> Iterator[Fault]:
        """Yield what is missing for the framework, a schedule longer than the training, a cut that fails."""
        yield from self._framework_faults()
        yield from self._length_faults()
        if self.strategy:
            yield from self._strategy_faults(self.strategy)

    @property
    def ranks_per_node(self) -> int:
        """One rank for each accelerator, or for each task where a node gives none."""
        return self.resources.gpus_per_node or self.resources.tasks_per_node

    @property
    def ranks(self) -> int:
        """Ranks on all nodes."""
        return self.resources.nodes * self.ranks_per_node

    def _framework_faults(self) -> Iterator[Fault]:
        own = self.framework == "command"
        if own != (self.command is not None):
            found = (
                "`command` without a command" if own else f"a command with the framework `{self.framework}`"
            )
            yield Fault(
                path=("framework",), found=found, expected="`framework: command` and `command` together"
            )
        if own and self.notify:
            expected = "none with `framework: command`: nobody watches over such a trainer"
            yield Fault(path=("notify",), found="notifications", expected=expected)
        for name, value in (("model", self.model), ("data", self.data), ("steps", self.steps)):
            if value is None and not own:
                expected = f"`{name}`, which the framework `{self.framework}` needs"
                yield Fault(path=(), found=f"no `{name}`", expected=expected)

    def _length_faults(self) -> Iterator[Fault]:
        needed = self.optimizer.schedule.shortest
        if self.steps is not None and needed > self.steps:
            found = f"a schedule of at least {needed} steps in a training of {self.steps}"
            yield Fault(path=("optimizer", "schedule"), found=found, expected=f"at most {self.steps}")

    def _strategy_faults(self, strategy: Strategy) -> Iterator[Fault]:
        if strategy.workload is not None:
            hint = "this document says what the strategy is for; remove it"
            path = ("strategy", "workload")
            yield Fault(path=path, found="a workload", expected="none within a `train`", hint=hint)
        yield from below(("strategy",), self._rank_faults(strategy))
        if self.data is None:
            return
        yield from below(("data",), batch_faults(strategy, self.data.global_batch_size))
        if self.model and isinstance(self.model.architecture, Architecture):
            length = self.data.sequence_length
            yield from below(("strategy",), cut_faults(strategy, self.model.architecture, length))

    def _rank_faults(self, strategy: Strategy) -> Iterator[Fault]:
        degrees = strategy.degrees
        word = "gpus" if self.resources.gpus_per_node else "tasks"
        copies, rest = divmod(self.ranks, degrees.tp * degrees.pp * degrees.cp)
        if degrees.world_size != self.ranks:
            yield Fault(
                path=("degrees",),
                found=f"dp {degrees.dp} · tp {degrees.tp} · pp {degrees.pp} · cp {degrees.cp}"
                f" = {degrees.world_size} ranks",
                expected=f"nodes {self.resources.nodes} · {word}_per_node {self.ranks_per_node} = {self.ranks}",
                hint="" if rest else f"nearest: `dp: {copies}`",
            )
