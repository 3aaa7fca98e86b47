"""Which sample has which place in a training: closed forms of the place alone, so that nothing need be remembered."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import isqrt

import numpy as np
import numpy.typing as npt

__all__ = ["BLOCK", "Mixture", "Order", "Samples", "Shuffle", "block_quotas", "epoch_key"]

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

BLOCK = 1024
"""Places in which a mixture comes out whole; more for a mixture of more data sets than that."""

KEY_BYTES = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Shuffle:
    """A permutation of 0 … size - 1 chosen by a key of 64 bytes, computed place by place.

    A Feistel network over Z_a x Z_b with a·b barely above `size`, walked along its cycles until it is within
    (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002, sections 3 and 4); eight rounds, each a
    64-bit mix. It is an order for samples, no cipher.
    """

    size: int
    key: bytes

    def at(self, places: Integers) -> Integers:
        """Return what stands at each of the places (any shape); places must be within 0 … size - 1."""
        result = self._round_trip(places.astype(np.uint64))
        while (outside := result >= self.size).any():
            result[outside] = self._round_trip(result[outside])
        return result.astype(np.int64)

    def _round_trip(self, numbers: Words) -> Words:
        rows = isqrt(self.size - 1) + 1 if self.size > 1 else 1
        sides = np.array([rows, -(-self.size // rows)], dtype=np.uint64)
        halves = list(np.divmod(numbers, sides[1]))
        for number, key in enumerate(np.frombuffer(self.key, dtype="<u8").reshape(-1, 1)):
            side = number % 2
            halves[side] = (halves[side] + mixed(halves[1 - side] ^ key.reshape(()))) % sides[side]
        whole: Words = halves[0] * sides[1] + halves[1]
        return whole


def mixed(words: Words) -> Words:
    """Return 32 well mixed bits of each word (Steele, Lea, Flood, Fast Splittable Generators, 2014, figure 16)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words >> np.uint64(32)


def epoch_key(seed: int, fingerprint: bytes, epoch: int) -> bytes:
    """Return the key of one pass over one data set."""
    return blake2b(f"{seed} {epoch} ".encode() + fingerprint, digest_size=KEY_BYTES).digest()


def block_quotas(weights: Sequence[float], size: int) -> tuple[int, ...]:
    """Share `size` places by largest remainder; a weight of 0 gets none, any other at least one.

    There must be a weight above 0, and at most `size` of them.
    """
    total = sum(map(Fraction, weights))
    shares = [Fraction(weight) * size / total for weight in weights]
    quotas = [max(int(share), share > 0) for share in shares]
    while (missing := size - sum(quotas)) > 0:
        first = max(range(len(quotas)), key=lambda index: shares[index] - quotas[index])
        quotas[first] += min(missing, 1)
    while sum(quotas) > size:
        quotas[quotas.index(max(quotas))] -= 1
    return tuple(int(quota) for quota in quotas)


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
        self._fingerprints = tuple(fingerprints)
        self._seed = seed

    def samples(self, first: int, count: int) -> Samples:
        """Return the samples at places `first` … `first + count - 1`, counted from 0."""
        owners, turns = self.mixture.at(np.arange(first, first + count))
        sample = np.empty_like(turns)
        for dataset in np.unique(owners).tolist():
            here = owners == dataset
            sample[here] = self._shuffled(dataset, turns[here])
        return Samples(dataset=owners, sample=sample)

    def passes(self, places: int) -> float:
        """Return how often the data set that is used up soonest has been gone through after so many places."""
        pairs = zip(self.mixture.quotas, self.sizes, strict=True)
        return max(places / self.mixture.block * quota / size for quota, size in pairs if quota)

    def _shuffled(self, dataset: int, turns: Integers) -> Integers:
        epochs, places = np.divmod(turns, self.sizes[dataset])
        sample = np.empty_like(places)
        for epoch in np.unique(epochs).tolist():
            here = epochs == epoch
            key = epoch_key(self._seed, self._fingerprints[dataset], epoch)
            sample[here] = Shuffle(size=self.sizes[dataset], key=key).at(places[here])
        return sample
