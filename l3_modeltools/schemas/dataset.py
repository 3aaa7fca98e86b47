"""The manifest of a prepared data set: its shards by content, its tokenizer, what was dropped and why."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Name, Part, Positive, Sha256, Text, repeated
from l0_infra.core.errors import Fault
from l3_modeltools.schemas.hashed_file import HashedFile, manifest_faults

__all__ = ["DataShard", "DataSource", "Dataset", "Dropped", "Tokenizer"]

FILE = {"size_bytes": 4096, "sha256": "0" * 64}
"""Part of a file's entry, for examples."""


class Tokenizer(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What turned text into tokens."""

    name: Annotated[Text, Meta(description="Name or directory.")]
    sha256: Annotated[Sha256, Meta(description="SHA-256 of its tokenizer.json.")]
    vocab_size: Annotated[Positive, Meta(description="Tokens it knows.", examples=[4096])]
    end_of_document: Annotated[Count, Meta(description="Token that ends each document.")]
    files: Annotated[
        tuple[HashedFile, ...], Meta(description="What is kept of it beside the manifest, in `tokenizer/`.")
    ] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield an end of document that is no token, and files listed twice."""
        yield from manifest_faults("files", self.files)
        if self.end_of_document >= self.vocab_size:
            expected = f"a token below vocab_size {self.vocab_size}"
            yield Fault(path=("end_of_document",), found=f"{self.end_of_document}", expected=expected)


class Dropped(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many documents were left out for one reason."""

    reason: Annotated[
        Literal["exact_duplicate", "near_duplicate", "empty", "quality", "licence", "unreadable"],
        Meta(description="Why."),
    ]
    documents: Annotated[Count, Meta(description="How many.")]


class DataSource(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where documents came from, and how many of them were kept."""

    name: Annotated[Text, Meta(description="The source as asked for: `python-stdlib`, a pattern of files.")]
    licence: Annotated[Text | None, Meta(description="SPDX id of its licence; null: unknown.")] = None
    documents: Annotated[Count, Meta(description="Documents kept.")]
    dropped: Annotated[tuple[Dropped, ...], Meta(description="Documents left out.")] = ()


class DataShard(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One piece of the store: the tokens, and the index of its documents, as Megatron's indexed dataset."""

    split: Annotated[Literal["train", "validation"], Meta(description="What it is used for.")] = "train"
    documents: Annotated[Positive, Meta(description="Documents in it.")]
    tokens: Annotated[Positive, Meta(description="Tokens in it, ends of documents included.")]
    bin: Annotated[HashedFile, Meta(description="The tokens.", examples=[FILE | {"name": "text-00000.bin"}])]
    idx: Annotated[
        HashedFile,
        Meta(description="Where each document begins.", examples=[FILE | {"name": "text-00000.idx"}]),
    ]
    mask: Annotated[
        HashedFile | None,
        Meta(description="A byte for each token: 1 where an answer is learnt from; null: all are."),
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a pair of files that do not belong together."""
        stem = self.bin.name.removesuffix(".bin")
        if stem == self.bin.name:
            yield Fault(
                path=("bin", "name"), found=f"`{self.bin.name}`", expected="a name that ends with `.bin`"
            )
        elif self.idx.name != f"{stem}.idx":
            yield Fault(path=("idx", "name"), found=f"`{self.idx.name}`", expected=f"`{stem}.idx`")


class Dataset(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="dataset"):
    """The manifest of a prepared data set, written when all its shards are in place."""

    name: Annotated[Name, Meta(description="Name.")]
    format: Annotated[
        Literal["text", "chat", "preference"],
        Meta(description="What a document is: text, a chat, or the two sides of a pair one after the other."),
    ] = "text"
    tokenizer: Annotated[Tokenizer, Meta(description="What turned text into tokens.")]
    token_dtype: Annotated[Literal["uint16", "int32"], Meta(description="How a token is stored.")] = "int32"
    shards: Annotated[tuple[DataShard, ...], Meta(min_length=1, description="The store, in order.")]
    sources: Annotated[tuple[DataSource, ...], Meta(description="Where the documents came from.")] = ()
    unigram_entropy_nats: Annotated[
        Annotated[float, Meta(ge=0)] | None,
        Meta(
            description="Entropy of single training tokens: the loss of a model that only counts; null: unknown."
        ),
    ] = None

    def tokens_of(self, split: Literal["train", "validation"]) -> int:
        """All tokens of a split."""
        return sum(shard.tokens for shard in self.shards if shard.split == split)

    def documents_of(self, split: Literal["train", "validation"]) -> int:
        """All documents of a split."""
        return sum(shard.documents for shard in self.shards if shard.split == split)

    def faults(self) -> Iterator[Fault]:
        """Yield files listed twice, sources listed twice, and tokens too large for how they are stored."""
        yield from repeated("shards", "bin", [shard.bin.name for shard in self.shards])
        yield from repeated("sources", "name", [source.name for source in self.sources])
        if self.token_dtype == "uint16" and self.tokenizer.vocab_size > 2**16:
            found = f"`uint16` for a vocabulary of {self.tokenizer.vocab_size}"
            yield Fault(path=("token_dtype",), found=found, expected="`int32` above 65536 tokens")
