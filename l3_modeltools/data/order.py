"""Which sample has which place in a training: closed forms of the place alone, so that nothing need be remembered."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import isqrt

import numpy as np
import numpy.typing as npt

__all__ = ["BLOCK", "Mixture", "Order", "Samples", "Shuffle", "block_quotas"]

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

BLOCK = 1024
"""Places in which a mixture comes out whole; more for a mixture of more data sets than that."""

ROUNDS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Shuffle:
    """Endless passes over the samples 0 … size - 1 of a data set, each in an order of its own, computed turn by turn.

    A pass is a Feistel network over Z_a x Z_b with a·b barely above `size`, walked along its cycles until it is within
    (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002, its second and third method); eight rounds, each
    a 64-bit mix, with keys made of seed, data and pass. It is an order for samples, no cipher.
    """

    size: int
    seed: int
    fingerprint: bytes

    def at(self, turns: Integers) -> Integers:
        """Return the sample of each turn (n,): turn t is place t % size of pass t // size."""
        passes, places = np.divmod(turns, self.size)
        distinct, which = np.unique(passes, return_inverse=True)
        keys = self._keys(distinct.tolist())[:, which]
        result = self._round_trip(places.astype(np.uint64), keys)
        while (outside := result >= self.size).any():
            result[outside] = self._round_trip(result[outside], keys[:, outside])
        return result.astype(np.int64)

    def _keys(self, passes: Sequence[int]) -> Words:
        """Return the rounds' keys, (rounds, passes)."""
        digests = [
            blake2b(f"{self.seed} {number} ".encode() + self.fingerprint, digest_size=8 * ROUNDS).digest()
            for number in passes
        ]
        return np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, ROUNDS).T

    def _round_trip(self, numbers: Words, keys: Words) -> Words:
        rows = isqrt(self.size - 1) + 1 if self.size > 1 else 1
        sides = np.array([rows, -(-self.size // rows)], dtype=np.uint64)
        halves = list(np.divmod(numbers, sides[1]))
        for number, key in enumerate(keys):
            side = number % 2
            halves[side] = (halves[side] + mixed(halves[1 - side] ^ key)) % sides[side]
        whole: Words = halves[0] * sides[1] + halves[1]
        return whole


def mixed(words: Words) -> Words:
    """Return 32 well mixed bits of each word, by the constants of Stafford's variant 13 of MurmurHash3's finaliser."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words >> np.uint64(32)


def block_quotas(weights: Sequence[float], size: int) -> tuple[int, ...]:
    """Share `size` places by largest remainder; a weight of 0 gets none, any other at least one.

    There must be a weight above 0, and at most `size` of them.
    """
    total = sum(map(Fraction, weights))
    shares = [Fraction(weight) * size / total for weight in weights]
    quotas = [max(int(share), int(share > 0)) for share in shares]
    by_remainder = sorted(range(len(quotas)), key=lambda index: quotas[index] - shares[index])
    for index in by_remainder[: max(0, size - sum(quotas))]:
        quotas[index] += 1
    while sum(quotas) > size:
        quotas[quotas.index(max(quotas))] -= 1
    return tuple(quotas)


class Mixture:
    """Several data sets as one endless row of places, in blocks that are all alike.

    In each block a data set has its quota, evenly spread; so the share of a data set in the first n places, for
    any n, is that of its quota within one place.
    """

    def __init__(self, weights: Sequence[float]) -> None:
        self.block = BLOCK * -(-len(weights) // BLOCK)
        self.quotas = block_quotas(weights, self.block)
        owners = np.repeat(np.arange(len(weights)), self.quotas)
        ranks = np.concatenate([np.arange(quota) for quota in self.quotas])
        order = np.argsort((2 * ranks + 1) / np.array(self.quotas)[owners], kind="stable")
        self._owners, self._ranks = owners[order], ranks[order]

    def at(self, places: Integers) -> tuple[Integers, Integers]:
        """Return the data set at each place, and the how-manieth of that data set it is, counted from 0."""
        block, within = np.divmod(places, self.block)
        owners = self._owners[within]
        return owners, block * np.array(self.quotas)[owners] + self._ranks[within]


@dataclass(frozen=True, kw_only=True, slots=True)
class Samples:
    """Samples in order: which data set of the mixture, and which sample of it; both (n,)."""

    dataset: Integers
    sample: Integers


class Order:
    """All samples of a training in their order, from its first to any step; each data set anew when it is used up."""

    def __init__(
        self, *, sizes: Sequence[int], fingerprints: Sequence[bytes], weights: Sequence[float], seed: int
    ) -> None:
        self.sizes = tuple(sizes)
        self.mixture = Mixture(weights)
        self._shuffles = [
            Shuffle(size=size, seed=seed, fingerprint=fingerprint)
            for size, fingerprint in zip(sizes, fingerprints, strict=True)
        ]

    def samples(self, first: int, count: int) -> Samples:
        """Return the samples at places `first` … `first + count - 1`, counted from 0."""
        owners, turns = self.mixture.at(np.arange(first, first + count))
        sample = np.empty_like(turns)
        for dataset in np.unique(owners).tolist():
            here = owners == dataset
            sample[here] = self._shuffles[dataset].at(turns[here])
        return Samples(dataset=owners, sample=sample)

    def passes(self, places: int) -> float:
        """Return how often the data set that is used up soonest has been gone through after so many places."""
        pairs = zip(self.mixture.quotas, self.sizes, strict=True)
        return max(places / self.mixture.block * quota / size for quota, size in pairs if quota)
