"""A part is read once to know its documents: what each hashes to, and whether it is worth keeping."""

import struct
from collections.abc import Iterator
from hashlib import blake2b

import msgspec
import numpy as np

from l3_modeltools.data.prepare.origin import Origin
from l3_modeltools.data.prepare.parts import WorkPart
from l3_modeltools.data.prepare.quality import is_worthy
from l3_modeltools.data.prepare.read import Content, Unreadable, encoded, read_slice, words_of
from l3_modeltools.data.prepare.verdicts import DocumentVerdict
from l3_modeltools.data.prepare.workplace import Scanned, Workplace, whole_files
from l3_modeltools.schemas import Corpus, NearDuplicates, Source

__all__ = ["judge_document", "read_part", "scan_part"]

ROW = struct.Struct("<QQQB")
NOTES = 3
"""Troubles that are told of each part; the others are counted."""


def scan_part(origin: Origin, part: WorkPart, place: Workplace) -> Scanned:
    """Read a part, write what is known of each document, and MinHashes where they are wanted."""
    corpus, source = origin.corpus, origin.corpus.sources[part.source]
    notes: list[str] = []
    documents = size_bytes = 0
    with whole_files(place.rows(part.index), place.signatures(part.index)) as (rows, signatures):
        for content in read_part(origin, part):
            raw = b"" if isinstance(content, Unreadable) else encoded(content)
            verdict = judge_document(content, corpus, source)
            digest = blake2b(raw, digest_size=16).digest()
            rows.write(ROW.pack(*struct.unpack("<QQ", digest), len(raw), verdict))
            if near := corpus.deduplicate.near:
                signatures.write(_signature(content, verdict, near))
            if isinstance(content, Unreadable) and len(notes) < NOTES:
                notes.append(content.where)
            documents += 1
            size_bytes += len(raw) if verdict is DocumentVerdict.KEPT else 0
    scanned = Scanned(documents=documents, size_bytes=size_bytes, notes=tuple(notes))
    with whole_files(place.scanned(part.index)) as (note,):
        note.write(msgspec.json.encode(scanned))
    return scanned


def read_part(origin: Origin, part: WorkPart) -> Iterator[Content | Unreadable]:
    """Yield the documents of a part, in order. Raises DocumentError and OSError as `read_slice` does."""
    source = origin.corpus.sources[part.source]
    for piece in part.slices:
        yield from read_slice(source, piece, origin.corpus.format)


def judge_document(content: Content | Unreadable, corpus: Corpus, source: Source) -> DocumentVerdict:
    """Say whether one document, by itself, is worth keeping."""
    if isinstance(content, Unreadable):
        return DocumentVerdict.UNREADABLE
    if corpus.licences is not None and source.licence not in corpus.licences:
        return DocumentVerdict.LICENCE
    if isinstance(content, np.ndarray):
        return DocumentVerdict.KEPT if content.size else DocumentVerdict.EMPTY
    text = words_of(content)
    if not text or text.isspace():
        return DocumentVerdict.EMPTY
    if corpus.quality and not is_worthy(text, corpus.quality):
        return DocumentVerdict.QUALITY
    return DocumentVerdict.KEPT


def _signature(content: Content | Unreadable, verdict: DocumentVerdict, wanted: NearDuplicates) -> bytes:
    """Return the MinHash of a document that may be kept; zeros for any other, and for tokens."""
    if isinstance(content, Unreadable | np.ndarray) or verdict is not DocumentVerdict.KEPT:
        return bytes(4 * wanted.permutations)
    from l3_modeltools.data.prepare.near import signature_of

    return signature_of(words_of(content), wanted).tobytes()
