"""Keeps the C library from giving memory back after every step, which on a CPU costs a tenth of the time."""

import ctypes

__all__ = ["keep_freed_memory"]

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
"""Parameters of glibc's mallopt(3)."""


def keep_freed_memory() -> bool:
    """Let glibc's malloc keep what is freed for the next step; return whether it is glibc's and agreed.

    By default every large tensor is mapped anew and given back: in each step the kernel fills gigabytes with zeros.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, 2**31 - 1))
