"""What the model wrote on the way."""

from pathlib import Path

import msgspec

from l3_modeltools.runs.layout import RunLayout
from l3_modeltools.runs.lines import LineReader, decode_lines

__all__ = ["Sample", "read_samples"]


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One text of the model, after `step` steps; `text` is what it added to `prompt`."""

    step: int
    prompt: str
    text: str


def read_samples(directory: Path) -> tuple[Sample, ...]:
    """Read the samples of the run in `directory`, by step; of one that came again after a resume the last counts."""
    found: dict[tuple[int, str], Sample] = {}
    for sample in decode_lines(LineReader(RunLayout(directory).samples).read(), Sample):
        found[sample.step, sample.prompt] = sample
    return tuple(sorted(found.values(), key=lambda sample: sample.step))
