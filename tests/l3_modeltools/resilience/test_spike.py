"""Garbage is told before the update; what real trainings do by themselves is not."""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from l3_modeltools.resilience.spike import Spike, SpikeWatch

TRACES = Path(__file__).parent / "traces"


def read(name: str) -> Iterator[tuple[float, float, bool]]:
    """Yield loss, gradient norm and whether the batch was spoilt on purpose."""
    for line in (TRACES / f"{name}.txt").read_text().splitlines():
        if not line.startswith("#"):
            loss, norm, *mark = line.split()
            yield float(loss), float(norm), bool(mark)


def judged(trace: Iterable[tuple[float, float, bool]]) -> Iterator[tuple[Spike | None, bool]]:
    """Judge each step; those that were spoilt are left out, the others accepted."""
    watch = SpikeWatch()
    for step, (loss, norm, spoilt) in enumerate(trace, 1):
        yield watch.judge(step, loss, norm), spoilt
        if spoilt:
            watch.refuse()
        else:
            watch.accept(loss, norm)


@pytest.mark.parametrize("name", ["demo", "high_rate", "small_batch", "highest_rate"])
def test_a_training_that_nobody_disturbs_has_no_spike(name: str) -> None:
    assert [spike for spike, _ in judged(read(name)) if spike] == []


@pytest.mark.parametrize("name", ["random_tokens", "one_token", "other_vocabulary"])
def test_spoilt_batches_are_told_and_no_others(name: str) -> None:
    results = list(judged(read(name)))
    assert sum(spoilt for _, spoilt in results) == 8
    assert all((spike is not None) == spoilt for spike, spoilt in results)


def warm(watch: SpikeWatch, steps: int = 40, *, seed: int = 0, sigma: float = 0.02) -> SpikeWatch:
    source = random.Random(seed)
    for _ in range(steps):
        watch.accept(source.gauss(2.5, sigma), source.lognormvariate(0.0, 0.2))
    return watch


def test_a_jump_of_the_loss_alone_is_told_with_what_was_usual() -> None:
    spike = warm(SpikeWatch()).judge(41, 3.6, 1.0)
    assert spike is not None
    assert (spike.step, spike.of, spike.value) == (41, "loss", 3.6)
    assert spike.usual == pytest.approx(2.5, abs=0.02)
    assert spike.score == pytest.approx(22, rel=0.1)


def test_a_norm_a_thousand_times_as_large_is_told_alone() -> None:
    spike = warm(SpikeWatch()).judge(41, 2.5, 1000.0)
    assert spike is not None
    assert spike.of == "grad_norm"
    assert spike.usual == pytest.approx(1.0, rel=0.1)


def test_too_few_steps_tell_nothing() -> None:
    assert warm(SpikeWatch(), 23).judge(24, 1e6, 1e6) is None
    assert warm(SpikeWatch(), 24).judge(25, 1e6, 1e6) is not None


def test_steps_that_are_all_alike_make_no_spike_of_a_ripple() -> None:
    watch = SpikeWatch()
    for _ in range(40):
        watch.accept(0.001, 0.0)
    assert watch.judge(41, 0.3, 0.0) is None
    assert watch.judge(41, 0.001, 1e-12) is None
    assert watch.judge(41, 4.0, 0.0) is not None


def test_lower_is_never_a_spike() -> None:
    assert warm(SpikeWatch()).judge(41, -50.0, 1e-9) is None


def test_a_new_level_is_accepted_after_sixteen_steps_left_out() -> None:
    watch, left_out = warm(SpikeWatch()), 0
    for step in range(41, 141):
        if watch.judge(step, 6.0, 9.0):
            watch.refuse()
            left_out += 1
        else:
            watch.accept(6.0, 9.0)
    assert left_out == 16
    assert watch.judge(141, 2.5, 1.0) is None
    assert watch.judge(141, 9.0, 90.0) is not None, "and it is judged anew"


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 99_999),
    noise=st.floats(0.001, 0.6),
    norm_noise=st.floats(0.01, 0.8),
    drift=st.floats(-0.01, 0.02),
)
def test_noise_and_a_slow_drift_are_no_spikes(
    seed: int, noise: float, norm_noise: float, drift: float
) -> None:
    """A warm-up's fall first, then a loss that sinks, or rises by two nats in a hundred steps."""
    source = random.Random(seed)
    trace = (
        (
            4.0 + 5.0 * 0.95**step + drift * step + source.gauss(0.0, noise),
            source.lognormvariate(0.0, norm_noise) * (1 + 4 * 0.9**step),
            False,
        )
        for step in range(300)
    )
    assert [spike for spike, _ in judged(trace) if spike] == []


@given(numbers=st.lists(st.tuples(st.floats(0.0, 20.0), st.floats(0.0, 1e6)), min_size=60, max_size=60))
def test_one_that_goes_on_from_the_last_accepted_steps_judges_alike(
    numbers: list[tuple[float, float]],
) -> None:
    whole, resumed = SpikeWatch(), SpikeWatch()
    for pair in numbers[:40]:
        whole.accept(*pair)
    for pair in numbers[8:40]:
        resumed.accept(*pair)
    for step, pair in enumerate(numbers[40:], 41):
        assert whole.judge(step, *pair) == resumed.judge(step, *pair)
        whole.accept(*pair)
        resumed.accept(*pair)
