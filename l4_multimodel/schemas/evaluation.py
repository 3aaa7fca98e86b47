"""How good a model is: the tasks, the conditions they are measured under, and the scores."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Name, Part, Positive, Text, Time, repeated, unknown
from l0_infra.core.errors import Fault
from l4_multimodel.schemas.model_ref import ModelRef

__all__ = ["Conditions", "Evaluation", "Score", "Task"]


class Task(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task of the harness."""

    name: Annotated[Text, Meta(description="Name in the harness: `hellaswag`.")]
    num_fewshot: Annotated[Count | None, Meta(description="Examples shown; null: the task's own number.")] = (
        None
    )
    limit: Annotated[Positive | None, Meta(description="Samples asked; null: all of them.")] = None


class Conditions(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a score depends on beside the model: scores under different ones are not compared."""

    harness: Annotated[Literal["lm_eval"], Meta(description="What asks and scores.")] = "lm_eval"
    harness_version: Annotated[Text | None, Meta(description="Its version; null: the installed one.")] = None
    engine: Annotated[Literal["transformers", "vllm"], Meta(description="What answers.")] = "transformers"
    precision: Annotated[Literal["bf16", "fp32"], Meta(description="Of weights and products.")] = "bf16"
    chat_template: Annotated[bool, Meta(description="Whether prompts go through the chat template.")] = False
    temperature: Annotated[float, Meta(ge=0, description="Of sampling; 0: the likeliest token.")] = 0.0
    seed: Annotated[Count, Meta(description="Seed of sampling and of the examples shown.")] = 0


class Score(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One measured number."""

    task: Annotated[Text, Meta(description="Task of this document.")]
    metric: Annotated[Text, Meta(description="Metric, as the harness names it: `acc_norm`.")]
    value: Annotated[float, Meta(description="The score.")]
    stderr: Annotated[
        Annotated[float, Meta(ge=0)] | None, Meta(description="Its standard error; null: not known.")
    ] = None
    samples: Annotated[Positive, Meta(description="Samples it is the mean of.")]


class Evaluation(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="evaluation"):
    """Tasks for a model, and its scores once they are measured."""

    name: Annotated[Name, Meta(description="Name.")]
    model: Annotated[ModelRef, Meta(description="Registered model: `name`, or `name@3`.")]
    tasks: Annotated[tuple[Task, ...], Meta(min_length=1, description="What is asked.")]
    conditions: Annotated[Conditions, Meta(description="What the scores depend on.")] = Conditions()
    scores: Annotated[tuple[Score, ...], Meta(description="What came out; none: not measured yet.")] = ()
    measured_at: Annotated[
        Time | None, Meta(description="When, in seconds since the epoch, UTC; null: not yet.")
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield tasks listed twice, scores of no task or twice, more samples than asked, scores of no time."""
        names = [task.name for task in self.tasks]
        yield from repeated("tasks", "name", names)
        yield from repeated("scores", "metric", [f"{score.task} {score.metric}" for score in self.scores])
        limits = {task.name: task.limit for task in self.tasks}
        for index, score in enumerate(self.scores):
            yield from unknown(("scores", index, "task"), score.task, names, what="a task of this document")
            limit = limits.get(score.task)
            if limit is not None and score.samples > limit:
                found = f"{score.samples} samples with the limit {limit}"
                yield Fault(path=("scores", index, "samples"), found=found, expected=f"at most {limit}")
        if self.scores and self.measured_at is None:
            yield Fault(path=("scores",), found="scores without a time", expected="`measured_at` beside them")
