"""A document's own hash says what it is used for, so that adding others moves none."""

import numpy as np
import numpy.typing as npt

__all__ = ["is_held_out", "is_sampled"]


def is_held_out(rows: npt.NDArray[np.void], share: float) -> npt.NDArray[np.bool_]:
    """Tell of each document whether it belongs to the validation split; `share` is at most one half."""
    held_out: npt.NDArray[np.bool_] = rows["high"] < np.uint64(int(share * 2.0**64))
    return held_out


def is_sampled(rows: npt.NDArray[np.void], share: float) -> npt.NDArray[np.bool_]:
    """Tell of each document whether it is among `share` of all, chosen independently of the split."""
    if share >= 1:
        return np.ones(len(rows), dtype=np.bool_)
    sampled: npt.NDArray[np.bool_] = rows["low"] < np.uint64(int(share * 2.0**64))
    return sampled
