"""Signatures whose share of equal places estimates how alike two texts are, and the bands that find candidates."""

import zlib
from itertools import islice

import numpy as np
import numpy.typing as npt
from datasketch import MinHash, MinHashLSH

from l3_modeltools.schemas import NearDuplicates

__all__ = ["Signatures", "band_keys", "likeness", "shingles", "signature_of"]

Signatures = npt.NDArray[np.uint32]
"""One row of `permutations` hashes for each document."""

Keys = npt.NDArray[np.uint64]

SHINGLES_AT_ONCE = 2**13
ODD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: multiplying by it spreads what differs in few bits (Knuth 6.4)."""


def shingles(text: str, words: int) -> npt.NDArray[np.uint32]:
    """Hash every run of `words` words of a text, each once; a shorter text is one run."""
    hashes = np.array([zlib.crc32(word.encode()) for word in text.split()], dtype=np.uint64)
    if hashes.size == 0:
        return np.empty(0, dtype=np.uint32)
    count = max(1, hashes.size - words + 1)
    runs = np.zeros(count, dtype=np.uint64)
    for offset in range(min(words, hashes.size)):
        runs = (runs + hashes[offset : offset + count]) * ODD
        runs ^= runs >> np.uint64(29)
    return np.unique((runs >> np.uint64(32)).astype(np.uint32))


def signature_of(text: str, wanted: NearDuplicates) -> Signatures:
    """Return the MinHash of a text's runs of words: `permutations` numbers."""
    sketch = MinHash(num_perm=wanted.permutations, hashfunc=int)
    hashes = iter(shingles(text, wanted.words).tolist())
    while some := list(islice(hashes, SHINGLES_AT_ONCE)):
        sketch.update_batch(some)
    signature: Signatures = sketch.hashvalues.astype(np.uint32)
    return signature


def band_keys(signatures: Signatures, threshold: float) -> Keys:
    """Return a key for each band of each signature, (documents, bands): alike texts share one with high odds.

    How many bands there are is what datasketch finds best for `threshold`.
    """
    plan = MinHashLSH(threshold=threshold, num_perm=signatures.shape[1])
    used = signatures[:, : plan.b * plan.r].reshape(-1, plan.b, plan.r)
    keys = np.broadcast_to(np.arange(plan.b, dtype=np.uint64), used.shape[:2]).copy()
    for row in range(plan.r):
        keys = (keys ^ used[:, :, row]) * ODD
        keys ^= keys >> np.uint64(29)
    return keys


def likeness(one: Signatures, others: Signatures) -> npt.NDArray[np.float64]:
    """Estimate the Jaccard similarity of one document with each of others (Broder 1997)."""
    shares: npt.NDArray[np.float64] = (others == one).mean(axis=1)
    return shares
