"""One decision before anything runs: what a training needs, how it is spread, or why it cannot be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from l0_infra.core.errors import DocumentError, UnsatisfiableError
from l0_infra.core.units import format_bytes, format_count
from l3_modeltools.architectures import Parameters, count_parameters
from l3_modeltools.planning.disk import require_disk
from l3_modeltools.planning.faults import plan_faults
from l3_modeltools.planning.fit import Fit, choose_strategy, require_fit
from l3_modeltools.planning.memory import MemoryTerms, checkpoint_bytes
from l3_modeltools.planning.opinion import Site
from l3_modeltools.planning.pace import step_seconds
from l3_modeltools.planning.place import DeviceKind, Place
from l3_modeltools.planning.resources import require_resources
from l3_modeltools.planning.trained import trained_parameters
from l3_modeltools.schemas import Architecture, Dataset, Rope, Strategy, Train, TrainingData

__all__ = ["TrainingPlan", "plan_training"]


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingPlan:
    """A training made complete, and what it takes.

    `train` has its architecture inline and its strategy filled in. `epochs` are passes over each data set of the
    mixture; `disk_bytes` is the most that checkpoints take at once; `step_s` are seconds of a step, null where no data
    sheet tells them; `reasons` tell a person why.
    """

    train: Train
    parameters: Parameters
    trained_parameters: int
    ranks: int
    device: DeviceKind
    memory: MemoryTerms
    step_s: float | None
    tokens_per_step: int
    total_tokens: int
    epochs: tuple[float, ...]
    checkpoint_bytes: int
    disk_bytes: int
    reasons: tuple[str, ...]


def plan_training(
    train: Train,
    *,
    architecture: Architecture,
    datasets: Sequence[Dataset],
    place: Place,
    init_from: Architecture | None = None,
    site: Site | None = None,
) -> TrainingPlan:
    """Plan a training by the project's own trainer; `datasets` are those of the mixture, in its order.

    `site` is where it runs as the cost model sees it; null: seconds are not known.

    DocumentError with every fault for the document's own mistakes (paths lead into `train`), UnsatisfiableError
    for what this place cannot give: it names the term, and the nearest that can be had.
    """
    data, model = train.data, train.model
    if train.framework != "ogai" or data is None or model is None or train.steps is None:
        raise UnsatisfiableError(
            "framework",
            found=f"`{train.framework}`",
            expected="`ogai`: only the memory of its own trainer is known",
            hint="a training by another framework is submitted without a plan",
        )
    faults = list(plan_faults(train, architecture=architecture, datasets=datasets, init_from=init_from))
    if faults:
        raise DocumentError("train", faults)
    device = require_resources(train, place)
    whole = replace(train, model=replace(model, architecture=architecture))
    fitting = 0
    if train.strategy is None:
        strategy, fitting = choose_strategy(whole, architecture, place, site)
        whole = replace(whole, strategy=strategy)
    step_s = step_seconds(whole, architecture, site)
    fit = require_fit(whole, architecture, place)
    size, tokens = checkpoint_bytes(whole, architecture), data.global_batch_size * data.sequence_length
    return TrainingPlan(
        train=whole,
        parameters=count_parameters(architecture),
        trained_parameters=trained_parameters(whole, architecture),
        ranks=train.ranks,
        device=device,
        memory=fit.terms,
        step_s=step_s,
        tokens_per_step=tokens,
        total_tokens=tokens * train.steps,
        epochs=_epochs(data, datasets, train.steps),
        checkpoint_bytes=size,
        disk_bytes=require_disk(train.checkpoint, size, train.steps, place),
        reasons=(
            *_choice(whole, fitting, site if step_s is not None else None),
            *_reasons(whole, fit, architecture, datasets, device),
        ),
    )


def _epochs(data: TrainingData, datasets: Sequence[Dataset], steps: int) -> tuple[float, ...]:
    """Passes over each data set: its share of the samples over the samples it has."""
    weights = [part.weight for part in data.mixture]
    samples = data.global_batch_size * steps
    return tuple(
        samples * weight / sum(weights) / _samples(dataset, data.sequence_length)
        for weight, dataset in zip(weights, datasets, strict=True)
    )


def _samples(dataset: Dataset, sequence_length: int) -> int:
    """Samples as the loader cuts them: the last token of a window of text is the first of the next."""
    if dataset.format == "text":
        return (dataset.tokens_of("train") - 1) // sequence_length
    return dataset.documents_of("train") // (2 if dataset.format == "preference" else 1)


def _choice(train: Train, fitting: int, site: Site | None) -> Iterator[str]:
    """Say why the strategy is so; `fitting` that were compared, 0 where a person has chosen."""
    strategy = train.strategy or Strategy()
    unit = "accelerator" if train.resources.gpus_per_node else "task"
    yield f"dp {strategy.degrees.dp}: one rank per {unit}"
    if site is not None and fitting:
        others = f"of {fitting} strategies that fit" if fitting > 1 else "and only one that fits"
        zero = f", zero_stage {strategy.zero_stage}" if strategy.degrees.dp > 1 else ""
        chosen = f"micro_batch_size {strategy.micro_batch_size}{zero}, recompute {strategy.recompute.mode}"
        yield f"{chosen}: the quickest {others}, by the data sheet of `{site.device.name}`"
    elif fitting:
        yield f"micro_batch_size {strategy.micro_batch_size}: the most that divides and fits, up to 8"
        yield from _frugality(strategy)


def _reasons(
    train: Train,
    fit: Fit,
    architecture: Architecture,
    datasets: Sequence[Dataset],
    device: DeviceKind,
) -> Iterator[str]:
    if train.checkpoint.interval == "auto":
        yield "checkpoint interval `auto`: from the time that saves take and the faults so far, an hour at most"
    needed, there = format_bytes(fit.needed_bytes), format_bytes(fit.available_bytes)
    yield f"memory of each {fit.device}: {needed} of {there}"
    if isinstance(architecture.positions, Rope) and train.data:
        length, most = train.data.sequence_length, architecture.max_position_embeddings
        if length > most:
            yield f"sequence_length {length} is beyond the {most} positions that the model is made for"
    if train.compute.precision == "bf16" and device == "cpu":
        yield "bf16 is quicker than fp32 only on a CPU with AMX or AVX512-BF16 (see lscpu)"
    if not any(dataset.documents_of("validation") for dataset in datasets):
        yield "no validation loss: no data set holds documents back"
    unused = architecture.vocab_size - max(dataset.tokenizer.vocab_size for dataset in datasets)
    if unused:
        yield f"{format_count(unused, 'token')} of the model's vocabulary never occur"


def _frugality(strategy: Strategy) -> Iterator[str]:
    if strategy.zero_stage:
        yield f"zero_stage {strategy.zero_stage}: whole copies on every rank would not fit"
    if strategy.recompute.mode == "full":
        yield "recompute full: all activations at once would not fit"
