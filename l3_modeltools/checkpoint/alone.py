"""One process that saves or loads by itself is no mistake here, whatever torch warns of."""

import warnings

__all__ = ["accept_one_process"]


def accept_one_process() -> None:
    """Silence the warning for good: a filter that comes and goes would not be safe beside a thread that saves."""
    warnings.filterwarnings(
        "ignore", message="torch.distributed is (disabled|unavailable)", category=UserWarning
    )
