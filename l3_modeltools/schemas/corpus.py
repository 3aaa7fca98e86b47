"""A corpus as a person wishes it: where documents come from, which are kept, how they become tokens."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Name, Part, Positive, Text, repeated
from l0_infra.core.errors import Fault

__all__ = [
    "BytePairs",
    "Corpus",
    "Deduplication",
    "HuggingFaceTokenizer",
    "JsonLines",
    "MegatronFiles",
    "NearDuplicates",
    "Parquet",
    "PythonStdlib",
    "Quality",
    "Source",
    "TextFiles",
    "source_name",
]

Share = Annotated[float, Meta(ge=0, le=1)]
Pattern = Annotated[
    Text,
    Meta(description="Pattern of files, relative to this document: `books/**/*.txt`.", examples=["*.txt"]),
]
Licence = Annotated[Text | None, Meta(description="SPDX id of its licence; null: unknown.")]


class PythonStdlib(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="python-stdlib"
):
    """The source of the running Python's own library, without its tests: text that every machine has."""

    licence: Licence = "PSF-2.0"


class TextFiles(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="text"):
    """Files of UTF-8 text, each one document."""

    files: Pattern
    licence: Licence = None


class JsonLines(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="jsonl"):
    """Files of JSON lines, also compressed by gzip; each line is one document."""

    files: Pattern
    field: Annotated[
        Text | None,
        Meta(
            description="Field of the document; null: `text`, for chats `messages`, for pairs the row itself."
        ),
    ] = None
    licence: Licence = None


class Parquet(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="parquet"):
    """Parquet files; each row is one document."""

    files: Pattern
    field: Annotated[
        Text | None,
        Meta(
            description="Column of the document; null: `text`, for chats `messages`, for pairs the row itself."
        ),
    ] = None
    licence: Licence = None


class MegatronFiles(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="megatron"
):
    """Pairs of .bin and .idx that Megatron-LM's tools wrote: tokens already, of the tokenizer named beside."""

    files: Annotated[Text, Meta(description="Pattern of the .idx files, relative to this document.")]
    licence: Licence = None


Source = PythonStdlib | TextFiles | JsonLines | Parquet | MegatronFiles


def source_name(source: Source) -> str:
    """Write a source as it was asked for: its pattern of files, or `python-stdlib`."""
    return "python-stdlib" if isinstance(source, PythonStdlib) else source.files


class BytePairs(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="bpe"):
    """Train byte-level pairs on this corpus (arXiv:1508.07909; bytes as in GPT-2)."""

    vocab_size: Annotated[
        int,
        Meta(
            ge=260,
            le=2**24,
            description="Tokens wanted: the 256 bytes, 4 special ones, pairs.",
        ),
    ] = 32_000
    sample_bytes: Annotated[
        Positive, Meta(description="Text it learns from, spread evenly over the corpus.")
    ] = 64 * 2**20


class HuggingFaceTokenizer(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="huggingface"
):
    """A tokenizer as Hugging Face keeps it."""

    path: Annotated[Text, Meta(description="Directory with tokenizer.json, relative to this document.")]


class NearDuplicates(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Documents whose sets of word n-grams overlap, found by MinHash (Broder 1997)."""

    threshold: Annotated[
        float, Meta(gt=0, lt=1, description="Jaccard similarity from which on a document is dropped.")
    ] = 0.8
    words: Annotated[Positive, Meta(description="Words of an n-gram.")] = 5
    permutations: Annotated[
        int, Meta(ge=16, le=1024, description="Hashes of a signature; more are surer and slower.")
    ] = 128


class Deduplication(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which repetitions are left out; of equals the first is kept."""

    exact: Annotated[bool, Meta(description="Whether documents with the same text count once.")] = True
    near: Annotated[
        NearDuplicates | None, Meta(description="Nearly equal documents; null: they are kept.")
    ] = None


class Quality(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Plain measures of a text, after Gopher (arXiv:2112.11446, table A1); null: not looked at."""

    min_characters: Annotated[Count | None, Meta(description="Fewest characters.")] = None
    max_characters: Annotated[Positive | None, Meta(description="Most characters.")] = None
    min_alphabetic_words: Annotated[
        Share | None, Meta(description="Least share of words with a letter in them.")
    ] = None
    max_repeated_lines: Annotated[
        Share | None, Meta(description="Greatest share of lines that occurred before in the document.")
    ] = None
    max_mean_line_characters: Annotated[
        Positive | None, Meta(description="Longest mean line: longer ones are minified or data.")
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield lengths that exclude each other."""
        low, high = self.min_characters, self.max_characters
        if low is not None and high is not None and high < low:
            found = f"{high}, below min_characters {low}"
            yield Fault(path=("max_characters",), found=found, expected="at least min_characters")


class Corpus(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="corpus"):
    """A corpus to prepare: its sources, its tokenizer, what is left out."""

    name: Annotated[Name, Meta(description="Name of the data set it becomes.")]
    format: Annotated[
        Literal["text", "chat", "preference"],
        Meta(
            description="What a document is: text; `messages` with roles; or a pair `chosen` and `rejected` of "
            "messages, for DPO."
        ),
    ] = "text"
    sources: Annotated[
        tuple[Source, ...],
        Meta(min_length=1, description="Where documents come from.", examples=[[{"type": "python-stdlib"}]]),
    ]
    tokenizer: Annotated[
        BytePairs | HuggingFaceTokenizer, Meta(description="What turns text into tokens.")
    ] = BytePairs()
    chat_template: Annotated[
        Text | None, Meta(description="Jinja template of chats; null: the tokenizer's, else ChatML.")
    ] = None
    deduplicate: Annotated[Deduplication, Meta(description="Repetitions left out.")] = Deduplication()
    quality: Annotated[Quality | None, Meta(description="Texts left out; null: none.")] = None
    licences: Annotated[
        tuple[Text, ...] | None,
        Meta(description="SPDX ids of the licences allowed; null: all, also unknown ones."),
    ] = None
    validation_share: Annotated[
        Annotated[float, Meta(ge=0, le=0.5)],
        Meta(description="Share of documents held out; a document's own hash decides."),
    ] = 0.01
    shard_tokens: Annotated[
        int, Meta(ge=1024, le=2**36, description="Tokens after which a new pair of files is begun.")
    ] = 2**28

    def faults(self) -> Iterator[Fault]:
        """Yield sources listed twice, and sources that cannot hold what the format is."""
        yield from repeated("sources", "files", [source_name(source) for source in self.sources])
        for index, source in enumerate(self.sources):
            if self.format != "text" and not isinstance(source, JsonLines | Parquet):
                expected = f"`jsonl` or `parquet`, which can hold what the format `{self.format}` needs"
                found = f"`{source_name(source)}`, plain text"
                yield Fault(path=("sources", index, "type"), found=found, expected=expected)
            if isinstance(source, MegatronFiles) and isinstance(self.tokenizer, BytePairs):
                yield Fault(
                    path=("tokenizer",),
                    found="`bpe`, trained anew, beside tokens that exist already",
                    expected="`huggingface`, the tokenizer that those tokens are of",
                )
