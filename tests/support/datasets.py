"""Small prepared data sets, made by the writer alone."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from l0_infra.core.documents import render_json
from l3_modeltools.data import IndexedWriter, PreparedDataset, open_dataset
from l3_modeltools.schemas import Dataset, DataShard, Tokenizer

__all__ = ["END", "make_dataset", "make_text"]

END = 0
"""The token that ends each document."""

Document = Sequence[int] | tuple[Sequence[int], Sequence[int]]


def make_dataset(
    directory: Path,
    train: Sequence[Sequence[Document]],
    validation: Sequence[Sequence[Document]] = (),
    *,
    form: str = "text",
    vocab_size: int = 60_000,
) -> PreparedDataset:
    """Write shards of documents (token lists, or pairs of tokens and mask) and their manifest; open it."""
    directory.mkdir(parents=True, exist_ok=True)
    shards = [
        write_shard(directory, split, number, documents)
        for split, parts in (("train", train), ("validation", validation))
        for number, documents in enumerate(parts)
    ]
    tokenizer = Tokenizer(name="t", sha256="0" * 64, vocab_size=vocab_size, end_of_document=END)
    manifest = Dataset(
        name=directory.name,
        format=form,  # type: ignore[arg-type]
        tokenizer=tokenizer,
        token_dtype="uint16",
        shards=tuple(shards),
    )
    (directory / "dataset.json").write_text(render_json(manifest), encoding="utf-8")
    return open_dataset(directory / "dataset.json")


def write_shard(directory: Path, split: str, number: int, documents: Sequence[Document]) -> DataShard:
    masked = any(isinstance(document, tuple) for document in documents)
    with IndexedWriter(directory / f"{split}-{number:05}", "uint16", masked=masked) as writer:
        for document in documents:
            tokens, mask = document if isinstance(document, tuple) else (document, None)
            writer.add(np.array(tokens), None if mask is None else np.array(mask, dtype=np.uint8))
        files = writer.publish()
    return DataShard(
        split=split,  # type: ignore[arg-type]
        documents=files.documents,
        tokens=files.tokens,
        bin=files.bin,
        idx=files.idx,
        mask=files.mask,
    )


def make_text(directory: Path, tokens: int, *, held_out: int = 0, shards: int = 2) -> PreparedDataset:
    """A text whose tokens count 1, 2, 3 …, in documents of 10, over some shards; held out: tokens from 50,000 on."""
    stream = [END if place % 10 == 9 else place + 1 for place in range(tokens)]
    each = -(-tokens // shards)
    parts = [stream[begin : begin + each] for begin in range(0, tokens, each)]
    validation = [[[50_000 + place for place in range(held_out)]]] if held_out else []
    return make_dataset(directory, [cut(part) for part in parts], validation)


def cut(tokens: Sequence[int]) -> list[Sequence[int]]:
    return [tokens[begin : begin + 10] for begin in range(0, len(tokens), 10)]
