"""Ids of an array's elements, written short: `12_[0-3,7]`."""

from collections.abc import Iterable, Iterator, Sequence

from l2_scheduler.schemas import JobStatus

__all__ = ["fold_ids", "ranges"]


def fold_ids(elements: Sequence[JobStatus]) -> str:
    """Write the ids of jobs of one submission; a single one as it is."""
    if len(elements) == 1:
        return elements[0].job_id
    indices = [status.array_index for status in elements if status.array_index is not None]
    return f"{elements[0].submission}_[{ranges(indices)}]"


def ranges(indices: Iterable[int]) -> str:
    """Write indices as ranges with their step, as they are written when submitting: `0-3,7`, `0-30:10`."""
    return ",".join(map(written, runs(sorted(indices))))


def runs(indices: Sequence[int]) -> Iterator[range]:
    """Cut ascending numbers into runs of one step; two numbers alone make a run only if they are neighbours."""
    start = 0
    while start < len(indices):
        end = start + 1
        step = indices[end] - indices[start] if end < len(indices) else 1
        while end < len(indices) and indices[end] - indices[end - 1] == step:
            end += 1
        if end - start == 2 and step > 1:
            end, step = start + 1, 1
        yield range(indices[start], indices[end - 1] + 1, step)
        start = end


def written(run: range) -> str:
    if len(run) == 1:
        return str(run[0])
    return f"{run[0]}-{run[-1]}" + (f":{run.step}" if run.step > 1 else "")
