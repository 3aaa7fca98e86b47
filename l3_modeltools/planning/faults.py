"""What a training asks of its data and its model that they cannot give; paths lead into the `train` document."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from l0_infra.core.documents import below
from l0_infra.core.errors import Fault
from l3_modeltools.architectures import MODEL_TYPES
from l3_modeltools.frameworks import runnable_degrees
from l3_modeltools.planning.trained import EMBEDDINGS, target_names
from l3_modeltools.schemas import (
    Architecture,
    Dataset,
    Degrees,
    Dpo,
    LearnedPositions,
    Lora,
    Pretrain,
    Sft,
    Strategy,
    Train,
    TrainingData,
    batch_faults,
    cut_faults,
)

__all__ = ["framework_faults", "plan_faults"]

OBJECTIVES = {kind.data_format: kind.__struct_config__.tag for kind in (Pretrain, Sft, Dpo)}
"""The objective that learns from each format of data."""


def plan_faults(
    train: Train,
    *,
    architecture: Architecture,
    datasets: Sequence[Dataset],
    init_from: Architecture | None = None,
) -> Iterator[Fault]:
    """Yield every fault of `train` for this model and the data sets of its mixture, in the mixture's order.

    `init_from` is the architecture of the weights it begins with, where there are any.
    """
    yield from _strategy_faults(train, architecture)
    yield from _model_faults(architecture, init_from)
    if train.model and train.model.lora:
        yield from below(("model", "lora", "target_modules"), _target_faults(train.model.lora, architecture))
    if train.data:
        data = train.data
        yield from below(("data",), _length_faults(data, architecture))
        yield from below(("data",), _dataset_faults(train, data, architecture, datasets))


def _strategy_faults(train: Train, architecture: Architecture) -> Iterator[Fault]:
    strategy = train.strategy or Strategy(degrees=Degrees(dp=train.ranks))
    if train.data:
        yield from below(("data",), batch_faults(strategy, train.data.global_batch_size))
    if train.strategy and train.data:
        yield from below(("strategy",), cut_faults(strategy, architecture, train.data.sequence_length))
    yield from framework_faults(train)


def framework_faults(train: Train) -> Iterator[Fault]:
    """Yield every degree that the framework cannot run; what a command runs is not known."""
    strategy = train.strategy
    if strategy is None or train.framework == "command":
        return
    unit = strategy.micro_batch_size * strategy.degrees.dp
    microbatches = train.data.global_batch_size // unit if train.data else None
    yield from below(("strategy",), runnable_degrees(train.framework).faults(strategy, microbatches))


def _model_faults(architecture: Architecture, init_from: Architecture | None) -> Iterator[Fault]:
    if architecture.model_type not in MODEL_TYPES:
        found, known = (
            f"the family `{architecture.model_type}`",
            ", ".join(f"`{name}`" for name in MODEL_TYPES),
        )
        yield Fault(path=("model",), found=found, expected=f"one that ogai can build: {known}")
    if init_from is None:
        return
    for name in ("model_type", "vocab_size", "hidden_size", "num_hidden_layers"):
        wanted, there = getattr(architecture, name), getattr(init_from, name)
        if wanted != there:
            yield Fault(
                path=("model", "architecture"),
                found=f"{name} {wanted}, but weights of {name} {there} in init_from",
                expected=f"{name} {there}",
                hint="leave `architecture` out to take that of `init_from`",
            )
            return


def _target_faults(lora: Lora, architecture: Architecture) -> Iterator[Fault]:
    """A target may be written with the modules above it: `self_attn.q_proj`."""
    known = target_names(architecture)
    for index, target in enumerate(lora.target_modules):
        name = target.rpartition(".")[2]
        if known and name not in known:
            close = get_close_matches(name, sorted(known), n=1)
            yield Fault(
                path=(index,),
                found=f"`{target}`, which a {architecture.model_type} has not",
                expected=f"one of {', '.join(sorted(known - set(EMBEDDINGS)))}",
                hint=f"nearest: `{close[0]}`" if close else "",
            )


def _length_faults(data: TrainingData, architecture: Architecture) -> Iterator[Fault]:
    most = architecture.max_position_embeddings
    if isinstance(architecture.positions, LearnedPositions) and data.sequence_length > most:
        yield Fault(
            path=("sequence_length",),
            found=f"{data.sequence_length} tokens for a table of {most} positions",
            expected=f"at most max_position_embeddings {most}",
            hint=f"nearest: `sequence_length: {most}`",
        )


def _dataset_faults(
    train: Train, data: TrainingData, architecture: Architecture, datasets: Sequence[Dataset]
) -> Iterator[Fault]:
    wanted = train.objective.data_format
    for index, dataset in enumerate(datasets):
        faults = [
            *_format_faults(dataset, wanted),
            *_tokenizer_faults(dataset, datasets[0], architecture.vocab_size),
            *_size_faults(dataset, data.sequence_length),
        ]
        yield from below(("mixture", index, "dataset"), faults)


def _format_faults(dataset: Dataset, wanted: str) -> Iterator[Fault]:
    if dataset.format != wanted:
        yield Fault(
            path=(),
            found=f"`{dataset.name}`, which is {dataset.format}",
            expected=f"a data set of the format `{wanted}`",
            hint=f"or the objective that learns from it: `objective: {{type: {OBJECTIVES[dataset.format]}}}`",
        )


def _tokenizer_faults(dataset: Dataset, first: Dataset, vocab_size: int) -> Iterator[Fault]:
    tokenizer = dataset.tokenizer
    if tokenizer.vocab_size > vocab_size:
        yield Fault(
            path=(),
            found=f"`{dataset.name}` with {tokenizer.vocab_size} tokens for a model of vocab_size {vocab_size}",
            expected=f"at most {vocab_size} tokens",
            hint=f"nearest: a model of `vocab_size: {tokenizer.vocab_size}`, or the data tokenised with {vocab_size}",
        )
    if tokenizer.sha256 != first.tokenizer.sha256:
        yield Fault(
            path=(),
            found=f"`{dataset.name}`, tokenised by `{tokenizer.name}` ({tokenizer.sha256[:12]})",
            expected=f"the tokenizer of `{first.name}`: `{first.tokenizer.name}` ({first.tokenizer.sha256[:12]})",
            hint="prepare both with one tokenizer",
        )


def _size_faults(dataset: Dataset, sequence_length: int) -> Iterator[Fault]:
    """A sample of text is a window of tokens and the one after it; other samples are whole documents."""
    tokens = dataset.tokens_of("train")
    if dataset.documents_of("train") == 0:
        expected = "a split `train` with documents"
        yield Fault(path=(), found=f"`{dataset.name}` without training data", expected=expected)
    elif dataset.format == "text" and tokens <= sequence_length:
        nearest = f"nearest: `sequence_length: {tokens - 1}`" if tokens > 1 else ""
        expected = f"more than sequence_length {sequence_length}"
        yield Fault(path=(), found=f"`{dataset.name}` of {tokens} tokens", expected=expected, hint=nearest)
