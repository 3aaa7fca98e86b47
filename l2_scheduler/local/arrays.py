"""Array indices as Slurm writes them (sbatch(1), --array): `0-9`, `1,3,5`, `0-30:10`."""

import re

from l0_infra.core.errors import UsageError

__all__ = ["MAX_ELEMENTS", "expand_indices"]

MAX_ELEMENTS = 100_000
MAX_DIGITS = 9


def expand_indices(text: str) -> tuple[int, ...]:
    """List the indices, each once, in ascending order.

    Raises UsageError for a reversed range, a zero step, an index of ten digits, or more than 100,000 elements.
    """
    indices: set[int] = set()
    for piece in text.split(","):
        indices.update(expand_piece(text, piece))
        if len(indices) > MAX_ELEMENTS:
            raise too_many(text)
    return tuple(sorted(indices))


def expand_piece(text: str, piece: str) -> range:
    if any(len(number) > MAX_DIGITS for number in re.split(r"[-:]", piece)):
        raise UsageError(
            f"array indices `{text[:60]}`",
            found=f"`{piece[:60]}`",
            expected=f"numbers of at most {MAX_DIGITS} digits",
        )
    span, _, step_text = piece.partition(":")
    first_text, dash, last_text = span.partition("-")
    first = int(first_text)
    last, step = int(last_text) if dash else first, int(step_text or 1)
    if last < first or step < 1:
        raise UsageError(
            f"array indices `{text}`",
            found=f"`{piece}`",
            expected="a range that goes up by at least 1",
            hint=f"write `{last}-{first}`" if last < first else "",
        )
    if (last - first) // step >= MAX_ELEMENTS:
        raise too_many(text)
    return range(first, last + 1, step)


def too_many(text: str) -> UsageError:
    return UsageError(
        f"array indices `{text}`", found="more elements than that", expected=f"at most {MAX_ELEMENTS:,}"
    )
