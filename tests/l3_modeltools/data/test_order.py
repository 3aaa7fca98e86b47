"""The laws of the order: permutations, shares, and that a place alone decides."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from l3_modeltools.data.order import BLOCK, Mixture, Order, Shuffle, block_quotas

SEEDS = st.integers(0, 2**32)


def shuffle_of(size: int, seed: int) -> Shuffle:
    return Shuffle(size=size, seed=seed, fingerprint=b"data")


WEIGHTS = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=12).filter(any)


@settings(max_examples=60, deadline=None)
@given(size=st.integers(1, 20_000), seed=SEEDS)
@example(size=1, seed=0)
@example(size=2, seed=0)
@example(size=65_537, seed=0)
def test_a_shuffle_is_a_permutation(size: int, seed: int) -> None:
    order = shuffle_of(size, seed).at(np.arange(size))
    assert np.array_equal(np.sort(order), np.arange(size))


@settings(max_examples=60, deadline=None)
@given(size=st.integers(10**6, 10**12), seed=SEEDS, first=st.integers(0, 10**6 - 1))
@example(size=10**12, seed=0, first=999_999)
def test_a_huge_shuffle_stays_within_and_never_meets_itself(size: int, seed: int, first: int) -> None:
    places = np.unique(np.concatenate((np.arange(2000) * (size // 2000), [first, size - 1])))
    order = shuffle_of(size, seed).at(places)
    assert order.min() >= 0
    assert order.max() < size
    assert np.unique(order).size == places.size


@settings(deadline=None)
@given(size=st.integers(1, 10**9), seed=SEEDS, places=st.lists(st.integers(0, 10**9), min_size=1, max_size=9))
def test_a_place_alone_decides(size: int, seed: int, places: list[int]) -> None:
    here = np.array(places) % size
    shuffle = shuffle_of(size, seed)
    together = shuffle.at(here)
    assert [int(shuffle.at(np.array([place]))[0]) for place in here] == together.tolist()


def test_the_order_is_the_same_on_every_machine_and_version() -> None:
    """A run that resumes after an upgrade must go on in the order it began in: these numbers never change."""
    small = Shuffle(size=1000, seed=7, fingerprint=bytes(range(32)))
    assert small.at(np.arange(2998, 3006)).tolist() == [794, 736, 515, 560, 131, 126, 794, 306]
    huge = Shuffle(size=10**12, seed=7, fingerprint=bytes(range(32)))
    assert huge.at(np.arange(3)).tolist() == [693225090472, 749730116868, 139964147519]


@pytest.mark.parametrize("size", [5, 64, 1000, 4099])
def test_every_value_is_as_likely_at_every_place(size: int) -> None:
    """Chi-square over 16 by 16 bins of place and value, 400 seeds: of 225 degrees of freedom, 320 is one in 10^4."""
    bins = min(size, 16)
    table = np.zeros((bins, bins))
    place_bins = np.arange(size) * bins // size
    for seed in range(400):
        values = shuffle_of(size, seed).at(np.arange(size))
        np.add.at(table, (place_bins, values * bins // size), 1)
    weight = np.bincount(place_bins)
    expected = np.outer(weight, weight) * 400 / size
    assert ((table - expected) ** 2 / expected).sum() < 320


def test_neighbours_are_torn_apart() -> None:
    order = shuffle_of(100_000, 1).at(np.arange(100_000))
    steps = np.diff(order)
    assert (np.abs(steps) < 10).mean() < 0.001
    assert abs(float(np.corrcoef(order[:-1], order[1:])[0, 1])) < 0.02


def test_epochs_seeds_and_data_have_orders_of_their_own() -> None:
    shuffles = [
        Shuffle(size=1000, seed=seed, fingerprint=data) for seed, data in ((0, b"a"), (1, b"a"), (0, b"b"))
    ]
    orders = [shuffle.at(np.arange(20)).tolist() for shuffle in shuffles]
    orders.append(shuffles[0].at(np.arange(1000, 1020)).tolist())
    assert len(set(map(tuple, orders))) == 4


@settings(deadline=None)
@given(weights=WEIGHTS)
@example(weights=[1.0, 1.0, 1.0])
@example(weights=[1e-6, 1e6])
@example(weights=[0.0, 3.0])
def test_quotas_are_the_weights_within_one(weights: list[float]) -> None:
    quotas = block_quotas(weights, BLOCK)
    total = sum(map(Fraction, weights))
    assert sum(quotas) == BLOCK
    for weight, quota in zip(weights, quotas, strict=True):
        exact = Fraction(weight) * BLOCK / total
        assert (quota == 0) == (weight == 0)
        raised = sum(0 < Fraction(other) * BLOCK / total < 1 for other in weights)
        assert abs(quota - exact) < 1 + raised


@settings(deadline=None)
@given(weights=WEIGHTS, prefix=st.integers(1, 5 * BLOCK))
def test_the_share_of_any_prefix_is_that_of_the_quota(weights: list[float], prefix: int) -> None:
    mixture = Mixture(weights)
    owners, turns = mixture.at(np.arange(prefix))
    for dataset, quota in enumerate(mixture.quotas):
        mine = turns[owners == dataset]
        assert abs(mine.size - prefix * quota / mixture.block) <= len(weights)
        assert mine.tolist() == list(range(mine.size))


def test_more_data_sets_than_a_block_has_places() -> None:
    mixture = Mixture([1.0] * (BLOCK + 1))
    assert (mixture.block, sum(mixture.quotas), min(mixture.quotas)) == (2 * BLOCK, 2 * BLOCK, 1)


ORDERS = st.builds(
    lambda parts, seed: Order(
        sizes=[size for size, _ in parts],
        weights=[weight for _, weight in parts],
        fingerprints=[bytes([number]) for number in range(len(parts))],
        seed=seed,
    ),
    st.lists(st.tuples(st.integers(1, 700), st.floats(0.01, 9)), min_size=1, max_size=4),
    st.integers(0, 99),
)


@settings(max_examples=50, deadline=None)
@given(order=ORDERS)
def test_each_pass_over_a_data_set_sees_every_sample_once(order: Order) -> None:
    samples = order.samples(0, 4000)
    for dataset, size in enumerate(order.sizes):
        mine = samples.sample[samples.dataset == dataset]
        for begin in range(0, mine.size - size + 1, size):
            assert np.array_equal(np.sort(mine[begin : begin + size]), np.arange(size))
        rest = mine[mine.size // size * size :]
        assert max(Counter(rest.tolist()).values(), default=1) == 1


@settings(max_examples=50, deadline=None)
@given(order=ORDERS, first=st.integers(0, 10_000), count=st.integers(0, 600), cut=st.integers(0, 600))
def test_any_stretch_can_be_had_alone(order: Order, first: int, count: int, cut: int) -> None:
    whole, cut = order.samples(first, count), min(cut, count)
    parts = order.samples(first, cut), order.samples(first + cut, count - cut)
    assert np.array_equal(whole.dataset, np.concatenate([part.dataset for part in parts]))
    assert np.array_equal(whole.sample, np.concatenate([part.sample for part in parts]))


def test_a_weight_of_nothing_is_never_read() -> None:
    order = Order(sizes=[10, 0], weights=[1.0, 0.0], fingerprints=[b"a", b"b"], seed=0)
    assert set(order.samples(0, 3000).dataset.tolist()) == {0}
    assert order.passes(25) == 2.5


def test_passes_tell_of_the_data_set_that_is_used_up_soonest() -> None:
    order = Order(sizes=[1000, 10], weights=[3.0, 1.0], fingerprints=[b"a", b"b"], seed=0)
    assert order.passes(400) == 10
