"""transformers draws bars of its own into whatever stderr is; who calls us draws, not the library below."""

from collections.abc import Iterator
from contextlib import contextmanager

from transformers.utils import logging

__all__ = ["without_bars"]


@contextmanager
def without_bars() -> Iterator[None]:
    """Keep transformers from drawing within; what was set before holds again afterwards."""
    if not logging.is_progress_bar_enabled():
        yield
        return
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.enable_progress_bar()  # type: ignore[no-untyped-call]
