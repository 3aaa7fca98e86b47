"""A training, data sets and places to begin a test with."""

from typing import Literal

from msgspec.structs import replace

from l2_scheduler.schemas import Resources
from l3_modeltools.architectures import preset
from l3_modeltools.planning import AcceleratorSize, Place
from l3_modeltools.schemas import (
    Architecture,
    Compute,
    Dataset,
    DataShard,
    HashedFile,
    MixturePart,
    Strategy,
    Tokenizer,
    Train,
    TrainedModel,
    TrainingData,
)

GIB = 2**30
H100 = AcceleratorSize(vendor="nvidia", model="NVIDIA H100 80GB HBM3", memory_bytes=80 * GIB)
LAPTOP = Place(nodes=1, cpus=8, memory_bytes=16 * GIB, disk_free_bytes=100 * GIB)
NODES = Place(
    nodes=4, cpus=96, memory_bytes=1024 * GIB, accelerators=(H100,) * 8, disk_free_bytes=10_000 * GIB
)


def training(
    *,
    ranks: int = 1,
    gpus: int = 0,
    batch: int = 16,
    length: int = 256,
    precision: Literal["bf16", "fp32"] = "fp32",
    strategy: Strategy | None = None,
    architecture: Architecture | None = None,
) -> Train:
    """A small pre-training on one node, changed where a test wants it."""
    return Train(
        name="t",
        model=TrainedModel(architecture=architecture or preset("tiny-llama")),
        data=TrainingData(
            mixture=(MixturePart(dataset="code"),), sequence_length=length, global_batch_size=batch
        ),
        steps=100,
        compute=Compute(precision=precision),
        resources=Resources(tasks_per_node=1 if gpus else ranks, gpus_per_node=gpus),
        strategy=strategy,
    )


def dataset(
    name: str = "code",
    *,
    form: Literal["text", "chat", "preference"] = "text",
    tokens: int = 1_000_000,
    documents: int = 100,
    vocab_size: int = 4096,
    tokenizer: str = "a",
    validation: bool = True,
) -> Dataset:
    """A manifest as `ogai data prepare` writes it."""
    shards = [_shard("train", tokens, documents)]
    shards += [_shard("validation", 1000, 10)] if validation else []
    return Dataset(
        name=name,
        format=form,
        tokenizer=Tokenizer(name="bpe", sha256=tokenizer * 64, vocab_size=vocab_size, end_of_document=0),
        shards=tuple(shards),
    )


def mixed(train: Train, *parts: tuple[str, float]) -> Train:
    """The same training on other data sets."""
    assert train.data is not None
    mixture = tuple(MixturePart(dataset=name, weight=weight) for name, weight in parts)
    return replace(train, data=replace(train.data, mixture=mixture))


def _shard(split: Literal["train", "validation"], tokens: int, documents: int) -> DataShard:
    files = [HashedFile(name=f"{split}.{end}", size_bytes=1, sha256="0" * 64) for end in ("bin", "idx")]
    return DataShard(split=split, documents=documents, tokens=tokens, bin=files[0], idx=files[1])
