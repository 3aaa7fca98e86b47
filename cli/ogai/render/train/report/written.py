"""What the model wrote on the way, readable: for each text it was given, a few steps apart."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from l3_modeltools import Sample
from ogai.render.report import Block, Fold, Quote, Quotes
from ogai.render.shortened import shortened

__all__ = ["sample_blocks", "spread"]

SHOWN = 6
"""Samples of one prompt that are seen at once; the rest is folded."""

MOST = 100
LONGEST = 4000
"""Most samples of one prompt, and most characters of one, that a report holds."""


def sample_blocks(samples: Sequence[Sample]) -> Iterator[Block]:
    """Yield the samples of each prompt by step: some from the first to the last, then all in a fold."""
    for _, group in groupby(sorted(samples, key=lambda s: (s.prompt, s.step)), key=lambda s: s.prompt):
        found = list(group)
        yield Quotes(quotes=tuple(map(_quote, spread(found, SHOWN))))
        if len(found) > SHOWN:
            kept = spread(found, MOST)
            of = f" of {len(found)}" if len(kept) < len(found) else ""
            yield Fold(
                title=f"All {len(kept)}{of}", printed=False, blocks=(Quotes(quotes=tuple(map(_quote, kept))),)
            )


def spread(samples: Sequence[Sample], count: int) -> list[Sample]:
    """Choose at most so many, evenly, the first and the last among them."""
    if len(samples) <= count:
        return list(samples)
    return [samples[round(place * (len(samples) - 1) / (count - 1))] for place in range(count)]


def _quote(sample: Sample) -> Quote:
    return Quote(
        label=f"step {sample.step:,}",
        before=shortened(sample.prompt, LONGEST),
        text=shortened(sample.text, LONGEST),
    )
