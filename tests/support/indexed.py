"""Writes indexed datasets by the published layout alone, also such as ogai itself never writes."""

import struct
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

__all__ = ["write_sequences"]


def write_sequences(stem: Path, documents: Sequence[Sequence[Sequence[int]]]) -> None:
    """Write documents of sequences of int32 tokens as `STEM.bin` and `STEM.idx`."""
    sequences = [sequence for document in documents for sequence in document]
    lengths = [len(sequence) for sequence in sequences]
    offsets = [0, *accumulate(4 * length for length in lengths)][: len(lengths)]
    firsts = [0, *accumulate(len(document) for document in documents)]
    tokens = [token for sequence in sequences for token in sequence]
    index = b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 4, len(sequences), len(firsts))
    index += struct.pack(f"<{len(lengths)}i", *lengths) + struct.pack(f"<{len(offsets)}q", *offsets)
    stem.with_name(f"{stem.name}.idx").write_bytes(index + struct.pack(f"<{len(firsts)}q", *firsts))
    stem.with_name(f"{stem.name}.bin").write_bytes(struct.pack(f"<{len(tokens)}i", *tokens))
