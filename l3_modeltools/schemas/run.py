"""A run of a training as it is: kept whole in its run directory, and as a pointer to it elsewhere."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, field

from l0_infra.core.documents import Count, Document, Name, Part, Positive, Sha256, Text, Time, repeated
from l0_infra.core.errors import Fault
from l3_modeltools.schemas.expected import Expected
from l3_modeltools.schemas.fault import TrainingFault
from l3_modeltools.schemas.train import Train

__all__ = ["Figures", "Run", "RunState", "SavedCheckpoint", "SkippedSteps"]

RunState = Literal["PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "FAILED", "CANCELLED"]
"""Slurm's words for a job; `SUSPENDED`: waits for something, such as room on the disk, and goes on by itself."""


class SavedCheckpoint(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a checkpoint of the run lies."""

    step: Annotated[Count, Meta(description="Optimizer steps done.")]
    directory: Annotated[Text, Meta(description="Directory, relative to the run's.")]
    manifest_sha256: Annotated[Sha256, Meta(description="SHA-256 of its manifest.")]


class SkippedSteps(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Batches left out for good, so that every resume leaves them out again."""

    first_step: Annotated[Positive, Meta(description="First step whose batch is left out.")]
    last_step: Annotated[Positive, Meta(description="Last one.")]
    reason: Annotated[Text, Meta(description="Why, in one sentence.")]

    def faults(self) -> Iterator[Fault]:
        """Yield a range that ends before it begins."""
        if self.last_step < self.first_step:
            found = f"{self.last_step}, before first_step {self.first_step}"
            yield Fault(path=("last_step",), found=found, expected="a step not before first_step")


class Figures(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The newest numbers of a run; null: not told yet."""

    loss: Annotated[float | None, Meta(description="Training loss, in nats per token.")] = None
    validation_loss: Annotated[float | None, Meta(description="Loss on held-out tokens, in nats.")] = None
    learning_rate: Annotated[float | None, Meta(description="Learning rate.")] = None
    tokens: Annotated[float | None, Meta(description="Tokens trained on.")] = None
    tokens_per_s: Annotated[float | None, Meta(description="Median over the steps.")] = None
    wall_s: Annotated[
        float | None,
        Meta(
            description="From the first step to the last, in seconds, whatever was waited for or stopped included."
        ),
    ] = None
    at_work_s: Annotated[
        float | None,
        Meta(
            description="Seconds that its processes were at work: without its queue, pauses, and while it was stopped."
        ),
    ] = None
    at_work_since: Annotated[
        Time | None, Meta(description="Since when it is at work without a break; null: it is not.")
    ] = None


class Run(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="run"):
    """A run: what was wished, where it runs, how far it is, what happened to it."""

    run_id: Annotated[Name, Meta(description="Id, unique on its cluster.")]
    train: Annotated[Train, Meta(description="The training as submitted, its strategy filled in.")]
    cluster: Annotated[Text | None, Meta(description="Cluster it runs on; null: this machine.")] = None
    job_ids: Annotated[tuple[Text, ...], Meta(description="Jobs that carried it, the last is current.")] = ()
    directory: Annotated[
        str, Meta(pattern="^/", description="Run directory, on the cluster's storage: there is the truth.")
    ]
    state: Annotated[RunState, Meta(description="State, in Slurm's words.")] = "PENDING"
    reason: Annotated[str, Meta(description="Why it is in this state, in one sentence.")] = ""
    step: Annotated[Count, Meta(description="Optimizer steps done.")] = 0
    figures: Annotated[Figures, Meta(description="Its newest numbers.")] = Figures()
    inputs: Annotated[
        tuple[Text, ...],
        Meta(
            description="`sha256:…` of the manifest of each data set, in the mixture's order; none: not noted."
        ),
    ] = ()
    expected: Annotated[
        Expected | None, Meta(description="What was planned; null: what a command runs is not known.")
    ] = None
    submitted_at: Annotated[Time, Meta(description="When it was submitted.")]
    ended_at: Annotated[Time | None, Meta(description="When it ended; null: it has not.")] = None
    checkpoints: Annotated[tuple[SavedCheckpoint, ...], Meta(description="Oldest first.")] = ()
    faults_seen: Annotated[tuple[TrainingFault, ...], Meta(description="Faults, in order.")] = ()
    skipped: Annotated[tuple[SkippedSteps, ...], Meta(description="Batches left out for good.")] = ()
    restarts: Annotated[tuple[Time, ...], Meta(description="When it was restarted: spent budget.")] = ()
    environment: Annotated[dict[Text, str], Meta(description="Versions of what it ran with.")] = field(
        default_factory=dict
    )

    def faults(self) -> Iterator[Fault]:
        """Yield more steps than wished, checkpoints twice or ahead of the run, an end before the start."""
        mixture = self.train.data.mixture if self.train.data else ()
        if self.inputs and len(self.inputs) != len(mixture):
            expected = f"one for each of the {len(mixture)} data sets of the mixture"
            yield Fault(path=("inputs",), found=f"{len(self.inputs)} hashes", expected=expected)
        yield from repeated("checkpoints", "step", [saved.step for saved in self.checkpoints])
        for index, saved in enumerate(self.checkpoints):
            if saved.step > self.step:
                found = f"{saved.step}, ahead of the run's {self.step}"
                yield Fault(path=("checkpoints", index, "step"), found=found, expected="a step it has done")
        if self.train.steps is not None and self.step > self.train.steps:
            yield Fault(
                path=("step",), found=f"{self.step}", expected=f"at most train.steps {self.train.steps}"
            )
        if self.ended_at is not None and self.ended_at < self.submitted_at:
            found = f"{self.ended_at}, before submitted_at {self.submitted_at}"
            yield Fault(path=("ended_at",), found=found, expected="a time not before submitted_at")
