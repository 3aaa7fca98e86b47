"""The batches of every step, read where they lie: a function of manifests, mixture, seed and step alone."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l3_modeltools.data.batch import Batch, PairBatch
from l3_modeltools.data.chat_samples import ChatSamples, PairSamples
from l3_modeltools.data.dataset import PreparedDataset, Split
from l3_modeltools.data.order import Order, Samples
from l3_modeltools.data.text_samples import TextSamples
from l3_modeltools.schemas import Dpo, Pretrain, Sft, TrainingData

__all__ = ["Loader", "Objective"]

Objective = Pretrain | Sft | Dpo
Row = tuple[Split, int]

AHEAD = 4096
"""Samples whose order is computed at once."""


class Cutter(Protocol):
    """How samples are cut out of a split and become a batch."""

    def count(self, split: Split) -> int: ...
    def batch(self, rows: Sequence[Row], end_of_document: int) -> Batch | PairBatch: ...


class Loader:
    """Batches by step and row; it keeps no position, so nothing of it is saved and any rank may ask for any rows.

    `datasets` are those of `data.mixture`, in its order. A data set that is used up, also within a step, begins anew
    in another order; no sample is skipped. `validation_samples` bounds what `validation` reads. Raises
    UnsatisfiableError for a data set of another format than the objective needs, or without a single sample.
    """

    def __init__(
        self,
        datasets: Sequence[PreparedDataset],
        data: TrainingData,
        objective: Objective,
        *,
        validation_samples: int = 128,
    ) -> None:
        self.batch_size = data.global_batch_size
        self._cutter = cutter_of(data, objective)
        self._end_of_document = datasets[0].manifest.tokenizer.end_of_document
        used = [dataset for dataset, part in zip(datasets, data.mixture, strict=True) if part.weight]
        check_use(used, self._cutter, data, objective)
        self._train = [dataset.split("train") for dataset in datasets]
        self._validation = held_out(used, self._cutter, validation_samples)
        self._order = Order(
            sizes=[self._cutter.count(split) for split in self._train],
            fingerprints=[dataset.fingerprint for dataset in datasets],
            weights=[part.weight for part in data.mixture],
            seed=data.seed,
        )
        self._group_steps = max(1, AHEAD // self.batch_size)
        self._group: tuple[int, Samples] | None = None

    def batch(self, step: int, rows: range) -> Batch | PairBatch:
        """Read some rows of a step's global batch; steps count from 1, rows from 0. Raises UsageError beyond them."""
        samples = self.samples_of(step)
        check_rows(rows, self.batch_size, f"rows of step {step}")
        here = slice(rows.start, rows.stop)
        places = zip(samples.dataset[here].tolist(), samples.sample[here].tolist(), strict=True)
        chosen = [(self._train[dataset], sample) for dataset, sample in places]
        return self._cutter.batch(chosen, self._end_of_document)

    def samples_of(self, step: int) -> Samples:
        """Return a step's samples in the order of its rows, (global batch size,). Raises UsageError below step 1."""
        if step < 1:
            raise UsageError("step", found=f"{step}", expected="1 or more")
        number, within = divmod(step - 1, self._group_steps)
        group = self._group
        if group is None or group[0] != number:
            size = self._group_steps * self.batch_size
            group = self._group = number, self._order.samples(number * size, size)
        here = slice(within * self.batch_size, (within + 1) * self.batch_size)
        return Samples(dataset=group[1].dataset[here], sample=group[1].sample[here])

    @property
    def validation_samples(self) -> int:
        """How many samples `validation` has, the same at any time; 0 where none are held out."""
        return len(self._validation)

    def validation(self, rows: range) -> Batch | PairBatch:
        """Read some of the held-out samples, counted from 0. Raises UsageError beyond them."""
        check_rows(rows, self.validation_samples, "rows of validation")
        return self._cutter.batch(self._validation[rows.start : rows.stop], self._end_of_document)

    def epoch_of(self, step: int) -> float:
        """Return how often the data set that is used up soonest has been gone through when a step is done."""
        return self._order.passes(step * self.batch_size)


def cutter_of(data: TrainingData, objective: Objective) -> Cutter:
    """Choose how samples are cut for an objective."""
    length = data.sequence_length
    if isinstance(objective, Sft):
        return ChatSamples(length, loss_on=objective.loss_on)
    if isinstance(objective, Dpo):
        return PairSamples(length)
    return TextSamples(length, respect_documents=data.respect_documents)


def check_use(
    datasets: Sequence[PreparedDataset], cutter: Cutter, data: TrainingData, objective: Objective
) -> None:
    """Raise UnsatisfiableError for a data set that the objective cannot learn from."""
    wanted = objective.data_format
    for dataset in datasets:
        where, manifest = str(dataset.directory), dataset.manifest
        if manifest.format != wanted:
            hint = f"prepare it from a corpus with `format: {wanted}`"
            expected = f"the format `{wanted}`, which this objective learns from"
            raise UnsatisfiableError(
                where, found=f"the format `{manifest.format}`", expected=expected, hint=hint
            )
        split = dataset.split("train")
        if not cutter.count(split):
            found = f"{split.tokens} tokens in {split.documents} documents to train on"
            expected = f"enough for one sample of sequence_length {data.sequence_length}"
            hint = f"nearest: `sequence_length: {split.tokens - 1}`" if split.tokens > 1 else ""
            raise UnsatisfiableError(where, found=found, expected=expected, hint=hint)


def held_out(datasets: Sequence[PreparedDataset], cutter: Cutter, most: int) -> list[Row]:
    """Choose at most so many held-out samples, evenly over those of all data sets."""
    splits = [dataset.split("validation") for dataset in datasets]
    ends = list(accumulate(cutter.count(split) for split in splits))
    count = min(most, ends[-1])
    chosen = [number * ends[-1] // count for number in range(count)]
    owners = [bisect_right(ends, place) for place in chosen]
    begins = [0, *ends]
    return [(splits[owner], place - begins[owner]) for owner, place in zip(owners, chosen, strict=True)]


def check_rows(rows: range, count: int, where: str) -> None:
    """Raise UsageError unless the rows are among `count`, one by one."""
    if rows.step != 1 or not 0 <= rows.start <= rows.stop <= count:
        raise UsageError(where, found=f"{rows}", expected=f"within range(0, {count})")
