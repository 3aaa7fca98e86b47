"""How fast the loader hands out batches, beside the shortest loop over a memory map at known places."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import torch

from l0_infra.core.documents import render_json
from l3_modeltools.data import IndexedWriter, Loader, PreparedDataset, open_dataset
from l3_modeltools.schemas import Dataset, DataShard, MixturePart, Pretrain, Tokenizer, TrainingData

__all__ = ["LoaderReads", "measure"]

DOCUMENT_TOKENS = 512


@dataclass(frozen=True, kw_only=True, slots=True)
class LoaderReads:
    """Tokens each second, on one thread, of batches that are ready to be trained on."""

    sequence_length: int
    batch: int
    loader_tokens_per_s: float
    by_hand_tokens_per_s: float

    @property
    def ratio(self) -> float:
        """Loader ÷ memory map by hand; the loader finds its places besides: shuffle, mixture, shards."""
        return self.loader_tokens_per_s / self.by_hand_tokens_per_s


def measure(*, tokens: int = 2**26, batches: int = 400, rounds: int = 7) -> list[LoaderReads]:
    """Measure batches of several shapes over a store of so many tokens; medians of rounds taken in turn."""
    with tempfile.TemporaryDirectory(prefix="ogai-bench-") as name:
        dataset = write_store(Path(name), tokens)
        return [
            compare(dataset, length, batch, batches, rounds)
            for length, batch in ((256, 16), (1024, 32), (4096, 16))
        ]


def compare(dataset: PreparedDataset, length: int, batch: int, batches: int, rounds: int) -> LoaderReads:
    """Read the same shapes both ways."""
    data = TrainingData(
        mixture=(MixturePart(dataset="bench"),), sequence_length=length, global_batch_size=batch
    )
    loader = Loader([dataset], data, Pretrain())
    stored = np.asarray(np.memmap(dataset.directory / "train-00000.bin", dtype=np.uint16, mode="r"))
    draw = np.random.default_rng(0)
    places = (draw.integers(0, stored.size // length - 1, (batches, batch)) * length).tolist()

    def by_loader() -> None:
        for step in range(1, batches + 1):
            loader.batch(step, range(batch))

    def by_hand() -> None:
        for starts in places:
            rows = np.empty((batch, length + 1), dtype=np.int64)
            for row, start in zip(rows, starts, strict=True):
                row[:] = stored[start : start + length + 1]
            whole = torch.from_numpy(rows)
            _ = whole[:, :-1], whole[:, 1:]

    times = [(seconds(by_loader), seconds(by_hand)) for _ in range(rounds + 1)][1:]
    done = batches * batch * length
    loader_s, hand_s = (median(column) for column in zip(*times, strict=True))
    return LoaderReads(
        sequence_length=length,
        batch=batch,
        loader_tokens_per_s=done / loader_s,
        by_hand_tokens_per_s=done / hand_s,
    )


def seconds(act: Callable[[], None]) -> float:
    """Return how long `act` takes."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def write_store(directory: Path, tokens: int) -> PreparedDataset:
    """Write random tokens and their manifest; open it."""
    documents = tokens // DOCUMENT_TOKENS
    with IndexedWriter(directory / "train-00000", "uint16") as writer:
        content = np.random.default_rng(0).integers(0, 2**16, documents * DOCUMENT_TOKENS, dtype=np.uint16)
        writer.add_batch(content, np.full(documents, DOCUMENT_TOKENS))
        files = writer.publish()
    shard = DataShard(documents=files.documents, tokens=files.tokens, bin=files.bin, idx=files.idx)
    tokenizer = Tokenizer(name="none", sha256="0" * 64, vocab_size=2**16, end_of_document=0)
    manifest = Dataset(name="bench", tokenizer=tokenizer, token_dtype="uint16", shards=(shard,))
    (directory / "dataset.json").write_text(render_json(manifest), encoding="utf-8")
    return open_dataset(directory / "dataset.json")


if __name__ == "__main__":
    for reads in measure():
        print(
            f"{reads.batch} x {reads.sequence_length}: loader {reads.loader_tokens_per_s / 1e6:.0f} M tokens/s, "
            f"by hand {reads.by_hand_tokens_per_s / 1e6:.0f} M, ratio {reads.ratio:.2f}"
        )
