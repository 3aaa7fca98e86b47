"""How much of a run's time was worth something, by the definitions that others have published."""

from dataclasses import dataclass

from l3_modeltools.resilience.accounts.account import Accounts
from l3_modeltools.resilience.accounts.paint import PER_SECOND

__all__ = ["Figure", "ettr", "goodput", "published_figures", "window_ettr"]

HOUR_S = 3600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A share of time by a published definition; None: no time of that kind has passed."""

    name: str
    share: float | None
    equation: str
    """In our categories."""
    source: str


def ettr(accounts: Accounts) -> float | None:
    """Return the effective training time ratio: productive runtime / available wall time.

    Kokolis et al., "Revisiting Reliability in Large-Scale Machine Learning Research Clusters", arXiv:2410.21680,
    section II: W = Q + R + U, ETTR = R / W, with the time in the queue Q, the productive runtime R and the unproductive
    runtime U, which holds what is computed again and what follows a restart. ByteRobust's cumulative ETTR
    (arXiv:2509.16293, section 8.1.3) is the same. Time between a person's stop and the next start is not available and
    left out.
    """
    return _share(accounts, accounts.wall_s - accounts.spent_s["stopped"])


def goodput(accounts: Accounts) -> float | None:
    """Return goodput: time computing useful new steps / time that the job had its resources.

    So DLRover defines it (its README), and Google's ML productivity goodput calls this part runtime goodput and the
    other scheduling goodput, here (all − queue) / all: ETTR is their product (arXiv:2502.06982; the third, program
    goodput, compares with an ideal speed and is not a matter of time lost).
    """
    spent = accounts.spent_s
    return _share(accounts, accounts.wall_s - spent["queue"] - spent["stopped"])


def effective_training_time(accounts: Accounts) -> float | None:
    """Return time spent on useful training / elapsed time since the first start, planned stops included.

    "The Llama 3 Herd of Models", arXiv:2407.21783, section 3.3.4, which reports more than 90 %.
    """
    first = accounts.intervals[0] if accounts.intervals else None
    queued_s = first.seconds if first is not None and first.category == "queue" else 0.0
    return _share(accounts, accounts.wall_s - queued_s)


def window_ettr(accounts: Accounts, *, window_s: float = HOUR_S) -> float | None:
    """Return the ETTR of the last `window_s` seconds alone: ByteRobust's sliding window (section 8.1.3) at its end."""
    if not accounts.intervals:
        return None
    last = accounts.intervals[-1].end_ns
    first = max(accounts.intervals[0].begin_ns, last - round(window_s * PER_SECOND))
    lengths = {"productive": 0, "stopped": 0}
    for interval in reversed(accounts.intervals):
        if interval.end_ns <= first:
            break
        if interval.category in lengths:
            lengths[interval.category] += interval.end_ns - max(first, interval.begin_ns)
    available = last - first - lengths["stopped"]
    return lengths["productive"] / available if available else None


def published_figures(accounts: Accounts) -> tuple[Figure, ...]:
    """Return the run's figure by each definition, with where it comes from; the last hour's of a longer run alone."""
    window = (
        Figure(
            name="ETTR of the last hour",
            share=window_ettr(accounts),
            equation="the same, over the last hour",
            source="ByteRobust's sliding-window ETTR, arXiv:2509.16293 section 8.1.3",
        ),
    )
    return (
        Figure(
            name="ETTR",
            share=ettr(accounts),
            equation="productive / (all - stopped)",
            source="arXiv:2410.21680 section II; ByteRobust's cumulative ETTR, arXiv:2509.16293",
        ),
        *(window if accounts.wall_s > HOUR_S else ()),
        Figure(
            name="goodput",
            share=goodput(accounts),
            equation="productive / (all - queue - stopped)",
            source="DLRover; Google's runtime goodput, arXiv:2502.06982",
        ),
        Figure(
            name="effective training time",
            share=effective_training_time(accounts),
            equation="productive / (all since the first start)",
            source="Llama 3, arXiv:2407.21783 section 3.3.4",
        ),
    )


def _share(accounts: Accounts, of_s: float) -> float | None:
    return min(1.0, accounts.spent_s["productive"] / of_s) if of_s > 0 else None
