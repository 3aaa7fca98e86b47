from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.schemas import Checkpointing, Dpo, SkippedSteps
from l3_modeltools.training.steps import is_due, is_skipped, micro_batches, seed_of, tokens_after
from tests.support.tiny_models import LLAMA, training

BAD = (
    SkippedSteps(first_step=3, last_step=5, reason="spike"),
    SkippedSteps(first_step=9, last_step=9, reason="nan"),
)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_every_row_is_worked_on_once(micro: int, ranks: int, accumulated: int) -> None:
    shares = [
        micro_batches(global_batch=micro * ranks * accumulated, micro_batch=micro, rank=rank, ranks=ranks)
        for rank in range(ranks)
    ]
    assert [len(share) for share in shares] == [accumulated] * ranks
    assert all(len(rows) == micro for share in shares for rows in share)
    rows = chain.from_iterable(chain.from_iterable(share) for share in shares)
    assert sorted(rows) == list(range(micro * ranks * accumulated))


def test_no_two_steps_or_ranks_draw_alike() -> None:
    seeds = {
        seed_of(seed, step=step, rank=rank) for seed in range(3) for step in range(30) for rank in range(8)
    }
    assert len(seeds) == 3 * 30 * 8
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_skipped_steps_are_those_named() -> None:
    assert [step for step in range(1, 12) if is_skipped(BAD, step)] == [3, 4, 5, 9]


def test_tokens_are_those_that_went_through_the_model() -> None:
    train = training(LLAMA)  # 4 × 16 tokens a step
    assert [tokens_after(train, (), step) for step in (0, 1, 10)] == [0, 64, 640]
    assert [tokens_after(train, BAD, step) for step in (2, 3, 5, 6, 10)] == [128, 128, 128, 192, 384]
    assert tokens_after(training(LLAMA, objective=Dpo()), (), 1) == 128


def test_state_is_saved_in_rhythm_and_at_the_end() -> None:
    checkpoint = Checkpointing(every_steps=4)
    assert [step for step in range(1, 11) if is_due(checkpoint, step=step, steps=10)] == [4, 8, 10]
