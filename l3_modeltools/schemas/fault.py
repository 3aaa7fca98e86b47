"""What went wrong in a run: its class, the evidence, who is suspected, what to do."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Name, Part, Positive, Text, Time, repeated
from l0_infra.core.errors import Fault

__all__ = ["Evidence", "FaultAction", "FaultClass", "Section", "Suspect", "TrainingFault"]

FaultClass = Literal[
    "crash",
    "killed",
    "hang",
    "straggler",
    "not_finite",
    "spike",
    "data_stall",
    "storage_full",
    "storage_slow",
    "storage_read_only",
    "checkpoint_damaged",
    "clock_jump",
    "device_lost",
    "unknown",
]
FaultAction = Literal[
    "none",
    "retry",
    "restart_worker",
    "restart_job",
    "skip_batches",
    "roll_back",
    "free_space",
    "pause",
    "replace_node",
    "give_up",
]


Section = Literal["setup", "data", "forward_backward", "optimizer", "save", "validate"]
"""Where in its loop a trainer is."""


class Evidence(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that speaks for the class."""

    source: Annotated[
        Literal["exit", "log", "kernel_log", "heartbeat", "metric", "stack", "file"],
        Meta(description="Where it was seen."),
    ]
    rank: Annotated[Count | None, Meta(description="Rank it concerns; null: not one alone.")] = None
    text: Annotated[Text, Meta(description="What was seen, as it stood there.")]


class Suspect(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is suspected; null where it is not known."""

    rank: Annotated[Count | None, Meta(description="Rank.")] = None
    node: Annotated[Text | None, Meta(description="Node name.")] = None
    device: Annotated[Text | None, Meta(description="Accelerator on the node: `nvidia:0`.")] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a suspect that is nobody."""
        if self.rank is None and self.node is None:
            yield Fault(path=(), found="neither rank nor node", expected="at least one of them")


class TrainingFault(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="fault"):
    """A fault of a run, with the evidence for its class and what to do about it."""

    fault_id: Annotated[
        Positive, Meta(description="Its number in the run, from 1; what is said of it later bears it again.")
    ] = 1
    run: Annotated[Name, Meta(description="Id of the run.")]
    fault_class: Annotated[FaultClass, Meta(description="What it is; `unknown` when nothing fits.")]
    summary: Annotated[str, Meta(description="What happened, in one sentence.")] = ""
    known_as: Annotated[
        Text | None,
        Meta(description="Entry of the catalogue of known errors that it matches; null: none."),
    ] = None
    occurred_at: Annotated[
        Time | None, Meta(description="When it began, in seconds since the epoch, UTC; null: unknown.")
    ] = None
    detected_at: Annotated[Time, Meta(description="When it was noticed, in seconds since the epoch, UTC.")]
    located_at: Annotated[
        Time | None, Meta(description="When it was known who is suspected and what to do; null: not yet.")
    ] = None
    resumed_at: Annotated[
        Time | None,
        Meta(description="When the first step after it was done; null: not yet, or nothing had stopped."),
    ] = None
    redone_steps: Annotated[
        Count | None,
        Meta(description="Steps that were done before and had to be done again; null: not known."),
    ] = None
    step: Annotated[Count | None, Meta(description="Step it happened in; null: in none, or unknown.")] = None
    section: Annotated[
        Section | None,
        Meta(description="Section of the training loop; null: unknown."),
    ] = None
    suspects: Annotated[
        tuple[Suspect, ...], Meta(description="Who is suspected, most likely first; none: nobody.")
    ] = ()
    evidence: Annotated[tuple[Evidence, ...], Meta(min_length=1, description="What speaks for the class.")]
    advised: Annotated[FaultAction, Meta(description="What should be done.")]
    taken: Annotated[FaultAction | None, Meta(description="What was done; null: nothing yet.")] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a suspect named twice, and a detection before the beginning."""
        yield from repeated("suspects", "rank", [suspect.rank for suspect in self.suspects])
        if self.occurred_at is not None and self.detected_at < self.occurred_at:
            found = f"{self.detected_at}, before occurred_at {self.occurred_at}"
            yield Fault(path=("detected_at",), found=found, expected="a time not before occurred_at")
