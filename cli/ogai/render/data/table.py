"""Data sets as tables: all of them a line each, or one with everything that is known of it."""

from collections.abc import Iterator, Sequence

from l0_infra.core.units import format_bytes, format_count
from l3_modeltools import Inspection, StoredDataset
from l3_modeltools.schemas import Dataset, DataSource
from ogai.render.table import Column, print_fields, print_table

__all__ = ["describe_inspection", "print_datasets", "print_inspection"]


def print_datasets(found: Sequence[StoredDataset]) -> None:
    """Print one line a data set."""
    print_table(
        (
            Column[StoredDataset](title="NAME", value=lambda one: one.directory.name),
            Column[StoredDataset](title="FORMAT", value=lambda one: one.dataset.format),
            Column[StoredDataset](
                title="DOCUMENTS", value=lambda one: _documents(one.dataset), align="right"
            ),
            Column[StoredDataset](
                title="TRAIN", value=lambda one: _tokens(one.dataset, "train"), align="right"
            ),
            Column[StoredDataset](
                title="VALIDATION", value=lambda one: _tokens(one.dataset, "validation"), align="right"
            ),
            Column[StoredDataset](
                title="VOCABULARY", value=lambda one: f"{one.dataset.tokenizer.vocab_size:,}", align="right"
            ),
            Column[StoredDataset](
                title="SIZE", value=lambda one: format_bytes(one.size_bytes), align="right"
            ),
        ),
        found,
    )


def print_inspection(inspection: Inspection) -> None:
    """Print everything about one."""
    print_fields(list(describe_inspection(inspection)))


def describe_inspection(inspection: Inspection) -> Iterator[tuple[str, str]]:
    """Yield names and values; a name without a value heads what follows."""
    dataset = inspection.dataset
    yield dataset.name, ""
    yield "  format", dataset.format
    yield "  train", _split(dataset, "train")
    yield "  validation", _split(dataset, "validation")
    yield "  document", f"median {inspection.median_tokens:,} tokens, longest {inspection.longest_tokens:,}"
    yield "  tokenizer", f"{dataset.tokenizer.name}, {dataset.tokenizer.vocab_size:,} tokens"
    if dataset.unigram_entropy_nats is not None:
        yield "  unigram entropy", f"{dataset.unigram_entropy_nats:.3f} nats a token"
    shards = format_count(len(dataset.shards), "shard")
    yield "  on disk", f"{format_bytes(inspection.size_bytes)} in {shards}, {dataset.token_dtype} tokens"
    yield "  where", str(inspection.directory)
    yield "Sources", ""
    for source in dataset.sources:
        yield f"  {source.name}", describe_source(source)


def describe_source(source: DataSource) -> str:
    """Say what was kept and left out of a source: `710 documents, PSF-2.0; left out: 3 empty, 2 exact duplicates`."""
    kept = f"{source.documents:,} {'document' if source.documents == 1 else 'documents'}"
    licence = source.licence or "licence unknown"
    dropped = ", ".join(f"{item.documents:,} {item.reason.replace('_', ' ')}" for item in source.dropped)
    return f"{kept}, {licence}" + (f"; left out: {dropped}" if dropped else "")


def _split(dataset: Dataset, split: str) -> str:
    shards = [shard for shard in dataset.shards if shard.split == split]
    documents, tokens = (sum(getattr(shard, name) for shard in shards) for name in ("documents", "tokens"))
    return f"{tokens:,} tokens in {documents:,} documents" if shards else "none"


def _documents(dataset: Dataset) -> str:
    return f"{sum(shard.documents for shard in dataset.shards):,}"


def _tokens(dataset: Dataset, split: str) -> str:
    return f"{sum(shard.tokens for shard in dataset.shards if shard.split == split):,}"
