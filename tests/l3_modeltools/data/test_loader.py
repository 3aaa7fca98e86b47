"""The batches of a step are a function of the step: whoever asks, however it is cut, whatever was read before."""

import random
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l3_modeltools.data import IGNORED, Batch, Loader, PairBatch, Prefetch, PreparedDataset, document_mask
from l3_modeltools.schemas import Dpo, MixturePart, Pretrain, Sft, TrainingData
from tests.support.datasets import END, make_dataset, make_text

S = 8


def training_data(
    *weights: float, batch: int = 6, length: int = S, documents: bool = False, seed: int = 5
) -> TrainingData:
    mixture = tuple(
        MixturePart(dataset=f"d{number}", weight=weight) for number, weight in enumerate(weights or (1.0,))
    )
    return TrainingData(
        mixture=mixture,
        sequence_length=length,
        global_batch_size=batch,
        respect_documents=documents,
        seed=seed,
    )


def text(loader: Loader, step: int, rows: range) -> Batch:
    batch = loader.batch(step, rows)
    assert isinstance(batch, Batch)
    return batch


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> list[PreparedDataset]:
    """90 samples of 8 tokens over two shards, and 31 over three; tokens of the first are its places."""
    folder = tmp_path_factory.mktemp("books")
    return [
        make_text(folder / "a", 90 * S + 5, held_out=81),
        make_text(folder / "b", 31 * S + 1, held_out=50, shards=3),
    ]


def test_a_sample_is_a_window_and_its_labels_are_what_follows(books: list[PreparedDataset]) -> None:
    loader = Loader(books[:1], training_data(), Pretrain())
    batch, samples = text(loader, 4, range(6)), loader.samples_of(4).sample.tolist()
    train = books[0].split("train")
    for row, sample in enumerate(samples):
        window = train.window(sample * S, sample * S + S + 1).tolist()
        assert batch.input_ids[row].tolist() == window[:-1]
        assert batch.labels[row].tolist() == window[1:]
    assert batch.input_ids.dtype == batch.labels.dtype == torch.int64
    assert batch.position_ids is batch.segments is None


@settings(max_examples=25, deadline=None)
@given(copies=st.sampled_from([1, 2, 3, 4, 6, 12]), micro=st.integers(1, 12), step=st.integers(1, 1500))
def test_a_step_has_the_same_rows_on_any_number_of_ranks(
    books: list[PreparedDataset], copies: int, micro: int, step: int
) -> None:
    """Data-parallel 4 to 2 must lose nothing: the ranks' rows put together are the step's."""
    data = training_data(3.0, 1.0, batch=12)
    whole = text(Loader(books, data, Pretrain()), step, range(12))
    each = 12 // copies
    parts = []
    for rank in range(copies):
        loader = Loader(books, data, Pretrain())
        begin, end = rank * each, (rank + 1) * each
        parts += [text(loader, step, range(at, min(at + micro, end))) for at in range(begin, end, micro)]
    assert torch.equal(torch.cat([part.input_ids for part in parts]), whole.input_ids)
    assert torch.equal(torch.cat([part.labels for part in parts]), whole.labels)


def test_a_resumed_loader_sees_what_it_would_have_seen(books: list[PreparedDataset]) -> None:
    """15 steps of 6 are a pass over 90 samples: resume within the second, at its begin, and at its end."""
    data = training_data()
    steady = Loader(books[:1], data, Pretrain())
    seen = [text(steady, step, range(6)).input_ids for step in range(1, 36)]
    for done in (0, 15, 22, 30):
        resumed = Loader(books[:1], data, Pretrain())
        after = [text(resumed, step, range(6)).input_ids for step in range(done + 1, 36)]
        assert len(after) == 35 - done
        assert all(torch.equal(one, other) for one, other in zip(after, seen[done:], strict=True))


def test_reading_draws_no_random_number(books: list[PreparedDataset]) -> None:
    """What the trainer seeded before it read stays as it was, whenever the loader is made or asked."""
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    loader = Loader(books, training_data(1.0, 1.0), Pretrain())
    loader.batch(3, range(6))
    after = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    assert torch.equal(before[0], after[0])
    assert before[1:] == after[1:]


def test_a_pass_sees_all_samples_once_and_the_next_in_another_order(books: list[PreparedDataset]) -> None:
    loader = Loader(books[:1], training_data(), Pretrain())
    passes = [
        np.concatenate([loader.samples_of(step).sample for step in range(begin, begin + 15)]).tolist()
        for begin in (1, 16)
    ]
    assert [sorted(samples) for samples in passes] == [list(range(90))] * 2
    assert passes[0] != passes[1]
    assert (loader.epoch_of(15), loader.epoch_of(20)) == (1, pytest.approx(4 / 3))


def test_a_pass_that_ends_within_a_step_skips_nothing(books: list[PreparedDataset]) -> None:
    loader = Loader(books[:1], training_data(batch=7), Pretrain())
    stream = np.concatenate([loader.samples_of(step).sample for step in range(1, 40)])
    assert sorted(stream[:90].tolist()) == sorted(stream[90:180].tolist()) == list(range(90))


def test_the_order_depends_on_the_seed_and_not_on_where_the_data_lie(
    books: list[PreparedDataset], tmp_path: Path
) -> None:
    moved = make_text(tmp_path / "elsewhere", 90 * S + 5)
    orders = [
        Loader([dataset], training_data(seed=seed), Pretrain()).samples_of(1).sample.tolist()
        for dataset, seed in ((books[0], 5), (moved, 5), (books[0], 6))
    ]
    assert orders[0] == orders[1] != orders[2]


def test_a_step_needs_no_step_before_it(books: list[PreparedDataset]) -> None:
    data = training_data(2.0, 1.0)
    backwards = Loader(books, data, Pretrain())
    late = {step: backwards.samples_of(step) for step in (100_000, 4000, 683, 682, 1)}
    for step, samples in late.items():
        again = Loader(books, data, Pretrain()).samples_of(step)
        assert np.array_equal(samples.sample, again.sample)
        assert np.array_equal(samples.dataset, again.dataset)


def test_a_batch_larger_than_what_is_ordered_at_once(books: list[PreparedDataset]) -> None:
    loader = Loader(books[:1], training_data(batch=5000), Pretrain())
    assert loader.samples_of(2).sample.size == 5000
    assert text(loader, 2, range(4998, 5000)).input_ids.shape == (2, S)


def test_a_mixture_has_its_shares_in_every_step(books: list[PreparedDataset]) -> None:
    loader = Loader(books, training_data(3.0, 1.0, batch=8), Pretrain())
    for step in (1, 77):
        assert np.bincount(loader.samples_of(step).dataset).tolist() == [6, 2]
        rows = text(loader, step, range(8))
        for row, (dataset, sample) in enumerate(
            zip(loader.samples_of(step).dataset, loader.samples_of(step).sample, strict=True)
        ):
            expected = books[dataset].split("train").window(sample * S, sample * S + S)
            assert rows.input_ids[row].tolist() == expected.tolist()


def test_documents_count_their_own_places(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d", [[[5, END], [6, 7, END], [END], [8, 9, 10, END]]])
    batch = text(Loader([dataset], training_data(batch=1, length=9, documents=True), Pretrain()), 1, range(1))
    assert batch.input_ids.tolist() == [[5, END, 6, 7, END, END, 8, 9, 10]]
    assert batch.labels.tolist() == [[END, 6, 7, END, END, 8, 9, 10, END]]
    assert batch.position_ids is not None
    assert batch.segments is not None
    assert batch.position_ids.tolist() == [[0, 1, 0, 1, 2, 0, 0, 1, 2]]
    assert batch.segments.tolist() == [[0, 0, 1, 1, 1, 2, 3, 3, 3]]


def test_a_document_sees_itself_and_what_was_before() -> None:
    mask = document_mask(torch.tensor([[0, 0, 1, 1, 1], [0, 0, 0, 0, 0]]))
    assert mask.shape == (2, 1, 5, 5)
    assert mask[0, 0].int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 1, 1, 1],
    ]
    assert torch.equal(mask[1, 0], torch.ones(5, 5, dtype=torch.bool).tril())


CHATS = [
    ([1, 2, 3, END], [0, 1, 1, 0]),
    ([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, END], [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]),
    ([15], [1]),
]


def chat_rows(tmp_path: Path, length: int, objective: Sft) -> dict[int, tuple[list[int], list[int]]]:
    loader = Loader(
        [make_dataset(tmp_path / f"{length}{objective.loss_on}", [CHATS], form="chat")],
        training_data(batch=3, length=length),
        objective,
    )
    batch = text(loader, 1, range(3))
    order = loader.samples_of(1).sample.tolist()
    return {
        sample: (batch.input_ids[row].tolist(), batch.labels[row].tolist())
        for row, sample in enumerate(order)
    }


def test_answers_count_and_nothing_else(tmp_path: Path) -> None:
    rows = chat_rows(tmp_path, 100, Sft())
    assert rows[0] == ([1, 2, 3, *[END] * 13], [2, 3, *[IGNORED] * 14])
    labels = [IGNORED, 6, *[IGNORED] * 7, 14, END, *[IGNORED] * 5]
    assert rows[1] == ([*range(4, 15), *[END] * 5], labels)
    assert rows[2] == ([END] * 16, [IGNORED] * 16)


def test_all_tokens_count_on_request_but_no_padding(tmp_path: Path) -> None:
    rows = chat_rows(tmp_path, 100, Sft(loss_on="all"))
    assert rows[0] == ([1, 2, 3, *[END] * 13], [2, 3, END, *[IGNORED] * 13])


def test_padding_is_not_counted_as_tokens(tmp_path: Path) -> None:
    loader = Loader(
        [make_dataset(tmp_path / "chats", [CHATS], form="chat")], training_data(batch=3, length=100), Sft()
    )
    assert text(loader, 1, range(3)).tokens == 3 + 11 + 0


def test_a_long_chat_is_cut_to_the_sequence_length(tmp_path: Path) -> None:
    rows = chat_rows(tmp_path, 5, Sft(loss_on="all"))
    assert rows[1] == ([4, 5, 6, 7, 8], [5, 6, 7, 8, 9])
    assert rows[0] == ([1, 2, 3, END, END], [2, 3, END, IGNORED, IGNORED])


def test_pairs_stay_together(tmp_path: Path) -> None:
    documents = [([number, 100 + number, END], [0, 1, 1]) for number in range(1, 9)]
    dataset = make_dataset(tmp_path / "d", [documents[:4], documents[4:]], form="preference")
    loader = Loader([dataset], training_data(batch=4), Dpo())
    batch = loader.batch(1, range(1, 4))
    assert isinstance(batch, PairBatch)
    for row, sample in enumerate(loader.samples_of(1).sample.tolist()[1:]):
        for side, number in ((batch.chosen, 2 * sample + 1), (batch.rejected, 2 * sample + 2)):
            assert side.input_ids[row].tolist() == [number, 100 + number, *[END] * 6]
            assert side.labels[row].tolist() == [100 + number, END, *[IGNORED] * 6]


def test_held_out_samples_are_always_the_same_and_spread_evenly(books: list[PreparedDataset]) -> None:
    for most, first_tokens in (
        (99, [*range(50_000, 50_080, 8), *range(50_000, 50_048, 8)]),
        (4, [50_000, 50_032, 50_064, 50_016]),
    ):
        loader = Loader(books, training_data(1.0, 1.0), Pretrain(), validation_samples=most)
        assert loader.validation_samples == len(first_tokens)
        batch = loader.validation(range(loader.validation_samples))
        assert isinstance(batch, Batch)
        assert batch.input_ids[:, 0].tolist() == first_tokens
        part = loader.validation(range(1, 3))
        assert isinstance(part, Batch)
        assert torch.equal(part.input_ids, batch.input_ids[1:3])


def test_data_of_no_weight_are_not_looked_at(books: list[PreparedDataset], tmp_path: Path) -> None:
    empty = make_text(tmp_path / "tiny", 3, held_out=90, shards=1)
    loader = Loader([books[0], empty], training_data(1.0, 0.0), Pretrain(), validation_samples=99)
    assert loader.validation_samples == 10
    assert set(loader.samples_of(9).dataset.tolist()) == {0}


def test_nothing_held_out(tmp_path: Path) -> None:
    assert Loader([make_text(tmp_path / "d", 50)], training_data(), Pretrain()).validation_samples == 0


def test_data_that_do_not_suit_are_refused(books: list[PreparedDataset], tmp_path: Path) -> None:
    with pytest.raises(UnsatisfiableError, match="found the format `text`; expected the format `chat`"):
        Loader(books[:1], training_data(), Sft())
    small = make_text(tmp_path / "small", 6, shards=1)
    with pytest.raises(UnsatisfiableError, match="found 6 tokens in 1 documents to train on") as caught:
        Loader([small], training_data(), Pretrain())
    assert caught.value.hint == "nearest: `sequence_length: 5`"
    Loader([small], training_data(length=5), Pretrain())


@pytest.mark.parametrize(
    ("step", "rows"), [(0, range(1)), (1, range(7)), (1, range(-1, 2)), (1, range(0, 4, 2))]
)
def test_what_is_beyond_a_step_is_refused(books: list[PreparedDataset], step: int, rows: range) -> None:
    with pytest.raises(UsageError):
        Loader(books[:1], training_data(), Pretrain()).batch(step, rows)


@pytest.mark.parametrize("depth", [0, 1, 2, 50])
def test_reading_ahead_changes_nothing(books: list[PreparedDataset], depth: int) -> None:
    loader = Loader(books, training_data(1.0, 2.0), Pretrain())
    micro = [range(0, 3), range(3, 6)]
    with Prefetch(loader, range(13, 20), micro, depth=depth) as steps:
        read = list(steps)
    assert [step for step, _ in read] == list(range(13, 20))
    for step, batches in read:
        for rows, batch in zip(micro, batches, strict=True):
            assert isinstance(batch, Batch)
            assert torch.equal(batch.input_ids, text(loader, step, rows).input_ids)


def test_a_failure_is_raised_at_its_step(books: list[PreparedDataset]) -> None:
    loader = Loader(books[:1], training_data(), Pretrain())
    with Prefetch(loader, [2, 1, 0, 3], [range(6)]) as steps:
        assert [next(steps)[0], next(steps)[0]] == [2, 1]
        with pytest.raises(UsageError, match="step: found 0"):
            next(steps)
        assert next(steps)[0] == 3


def test_who_stops_early_leaves_no_thread(books: list[PreparedDataset]) -> None:
    from threading import enumerate as threads

    loader = Loader(books[:1], training_data(), Pretrain())
    with Prefetch(loader, range(1, 10**9), [range(6)], depth=3) as steps:
        assert next(steps)[0] == 1
    assert not [thread for thread in threads() if thread.name.startswith("prefetch")]
