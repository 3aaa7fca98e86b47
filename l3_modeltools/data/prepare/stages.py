"""The stages of a prepare, each done part by part; a part that an earlier, killed call finished is not done again."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.data.dataset import SplitName
from l3_modeltools.data.indexed import Tokens
from l3_modeltools.data.prepare.assemble import assemble_split, entropy_nats, stored_documents
from l3_modeltools.data.prepare.crew import Crew
from l3_modeltools.data.prepare.duplicates import decide_duplicates, first_documents
from l3_modeltools.data.prepare.inputs import find_origin
from l3_modeltools.data.prepare.judge import describe_source, judge_emptiness, judge_room, judge_splits
from l3_modeltools.data.prepare.messages import Task
from l3_modeltools.data.prepare.origin import Origin, describe_changes
from l3_modeltools.data.prepare.parts import WorkPart, cut_parts
from l3_modeltools.data.prepare.progress import Progress, Stage
from l3_modeltools.data.prepare.tokenizer import describe_tokenizer, token_dtype, tokenizer_name
from l3_modeltools.data.prepare.verdicts import DocumentVerdict
from l3_modeltools.data.prepare.workplace import Scanned, Workplace
from l3_modeltools.schemas import Dataset, DataShard, DataSource, Tokenizer

__all__ = ["Report", "Stages"]

NOTES = 5
"""Unreadable documents that are told of; all are counted."""

Report = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class Stages:
    """A prepare at work in its place, holding the lock."""

    origin: Origin
    base: Path
    place: Workplace
    workers: int
    lock: int
    report: Report

    def run(self) -> tuple[Dataset, tuple[str, ...]]:
        """Do every stage that is not done; return the manifest and what to tell."""
        with Crew(self.place.directory, workers=self.workers, lock=self.lock) as crew:
            self._scan(crew)
            self._deduplicate()
            judge_emptiness(self.origin.corpus, self.sources)
            self._learn(crew)
            self._judge_room()
            self._encode(crew)
        self._judge_stillness()
        return self._assemble()

    @cached_property
    def parts(self) -> tuple[WorkPart, ...]:
        """How the corpus is cut."""
        return cut_parts(self.origin)

    @cached_property
    def scanned(self) -> tuple[Scanned, ...]:
        """What is known of each part, once all were read."""
        notes = (self.place.noted(self.place.scanned(part.index), Scanned) for part in self.parts)
        return tuple(note for note in notes if note)

    @cached_property
    def firsts(self) -> list[int]:
        """The number of each part's first document, and of all documents."""
        return first_documents(self.scanned)

    @cached_property
    def sources(self) -> tuple[DataSource, ...]:
        """How many documents of each source are kept and dropped."""
        counts = np.zeros((len(self.origin.corpus.sources), len(DocumentVerdict)), dtype=np.int64)
        for part, first, scanned in zip(self.parts, self.firsts, self.scanned, strict=False):
            verdicts = self.place.load_verdicts(first, scanned.documents)
            counts[part.source] += np.bincount(verdicts, minlength=len(DocumentVerdict))
        return tuple(map(describe_source, self.origin.corpus.sources, counts))

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer, once it is in place."""
        return describe_tokenizer(self.place.tokenizer, tokenizer_name(self.origin.corpus))

    def _scan(self, crew: Crew) -> None:
        missing = [part for part in self.parts if not self.place.scanned(part.index).exists()]
        self._do(crew, "read", [Task(stage="scan", part=part.index) for part in missing])

    def _deduplicate(self) -> None:
        if self.place.verdicts.exists():
            return
        ends = np.cumsum([part.size_bytes for part in self.parts])

        def report(part: int) -> None:
            self._tell("deduplicate", int(ends[part]), documents=self.firsts[part + 1])

        decide_duplicates(self.place, self.scanned, self.origin.corpus.deduplicate, report)

    def _learn(self, crew: Crew) -> None:
        if not self.place.tokenizer.exists():
            self._do(crew, "tokenizer", [Task(stage="learn")])

    def _encode(self, crew: Crew) -> None:
        parts = [part.index for part in self._unencoded()]
        self._do(crew, "encode", [Task(stage="encode", part=part, first=self.firsts[part]) for part in parts])

    def _unencoded(self) -> list[WorkPart]:
        return [part for part in self.parts if not self.place.encoded(part.index).exists()]

    def _do(self, crew: Crew, stage: Stage, tasks: Sequence[Task]) -> None:
        """Let the workers do tasks, and tell how far they are: parts done earlier count as done."""
        if not tasks:
            return
        sizes = [self.parts[task.part].size_bytes for task in tasks] if stage != "tokenizer" else [0]
        done_bytes = self.total_bytes - sum(sizes) if stage != "tokenizer" else 0
        documents = tokens = 0
        self._tell(stage, done_bytes)
        for done in crew.do(tasks):
            done_bytes += self.parts[done.part].size_bytes if stage != "tokenizer" else 0
            documents += done.documents
            tokens += done.tokens
            self._tell(stage, done_bytes, documents=documents, tokens=tokens)

    @cached_property
    def total_bytes(self) -> int:
        """Bytes of all parts."""
        return sum(part.size_bytes for part in self.parts)

    def _tell(self, stage: Stage, done_bytes: int, *, documents: int = 0, tokens: int = 0) -> None:
        self.report(
            Progress(
                stage=stage,
                done_bytes=done_bytes,
                total_bytes=self.total_bytes,
                documents=documents,
                tokens=tokens,
            )
        )

    @property
    def text_to_write(self) -> int:
        """Bytes of kept text whose tokens are not on the disk: all for the shards, and those of parts not encoded."""
        kept = [scanned.size_bytes for scanned in self.scanned]
        return sum(kept) + sum(kept[part.index] for part in self._unencoded())

    def _judge_room(self) -> None:
        token_bytes = np.dtype(token_dtype(self.tokenizer)).itemsize
        free_bytes = shutil.disk_usage(self.place.directory).free
        judge_room(self.text_to_write, token_bytes, free_bytes, self.place.directory.parent)

    def _judge_stillness(self) -> None:
        """Raise UnsatisfiableError when an input was written to while it was read."""
        changes = list(describe_changes(self.origin, find_origin(self.origin.corpus, self.base)))
        if changes:
            raise UnsatisfiableError(
                f"corpus {self.origin.corpus.name}",
                found=f"files that changed while they were read: {changes[0]}",
                expected="files that stay as they are",
                hint="the same command begins anew with the files as they are then",
            )

    def _assemble(self) -> tuple[Dataset, tuple[str, ...]]:
        corpus, dtype = self.origin.corpus, token_dtype(self.tokenizer)
        counts = np.zeros(self.tokenizer.vocab_size, dtype=np.int64)
        written = 0

        def count(split: SplitName, tokens: Tokens) -> None:
            nonlocal written
            written += tokens.size
            if split == "train":
                counts[:] += np.bincount(tokens, minlength=counts.size)
            self._tell("write", self.total_bytes, tokens=written)

        shards: list[DataShard] = []
        for split in ("train", "validation"):
            documents = stored_documents(self.place, self.firsts, dtype, split, corpus)
            shards += assemble_split(
                self.place, split, documents, dtype, corpus.shard_tokens, partial(count, split)
            )
        emptiness = judge_splits(corpus, shards)
        dataset = Dataset(
            name=corpus.name,
            format=corpus.format,
            tokenizer=self.tokenizer,
            token_dtype=dtype,
            shards=tuple(shards),
            sources=self.sources,
            unigram_entropy_nats=entropy_nats(counts),
        )
        notes = [note for scanned in self.scanned for note in scanned.notes]
        return dataset, tuple(filter(None, (*notes[:NOTES], emptiness)))
