"""Sums over the nodes of a class, by the vendor's test where it can run across nodes, else by torch."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from l1_podsys.gates.across import across_of, add_across
from l1_podsys.gates.catalogue import verdict
from l1_podsys.gates.collective import CODE, UNBEGUN, Sum, add_by_torch, judge_sums, probe_sums
from l1_podsys.gates.perf_runs import PerfRun
from l1_podsys.gates.reach import Reach
from l1_podsys.gates.speed import Baseline, Speeds, class_slowness
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Cluster, Verdict

__all__ = ["ACROSS", "ClassSums", "sum_class"]

ACROSS = "all-reduce"
"""Name of the measure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassSums:
    """The verdicts, and the baseline with this run in it when the class is clean and was not slow."""

    verdicts: tuple[Verdict, ...]
    baseline: Baseline


def sum_class(
    cluster: Cluster,
    views: Sequence[NodeView],
    runs: Mapping[str, PerfRun],
    python: str,
    reach: Reach,
    baseline: Baseline,
) -> ClassSums:
    """Sum over the nodes; `runs` say what they have of the vendor's test. Only its speeds make a baseline.

    Torch measures less evenly, and over gloo something else.
    """
    how = across_of(views, runs, slurm=cluster.scheduler.engine == "slurm")
    unbegun: tuple[Verdict, ...] = ()
    if how is not None:
        whole, pairs = probe_sums(views, add_across(cluster, how, reach))
        if not whole.unbegun:
            slow = tuple(_slow(whole, baseline))
            kept = baseline if slow or not whole.good else baseline.with_run(_speeds(whole))
            return ClassSums(verdicts=(*judge_sums(whole, pairs, by=how.name), *slow), baseline=kept)
        unbegun = (_unbegun(views[0].name, how.name, whole.unbegun),)
    whole, pairs = probe_sums(views, add_by_torch(cluster, python, reach))
    return ClassSums(verdicts=(*judge_sums(whole, pairs), *unbegun), baseline=baseline)


def _unbegun(node: str, name: str, why: str) -> Verdict:
    words = f"{name}: {why.removeprefix(UNBEGUN)}; torch is used in its place"
    hint = (
        "start it by hand from this node: are all nodes idle in Slurm, or reached by ssh without a question?"
    )
    return verdict(node, CODE, "warning", words, hint=hint, named=f"{CODE}-start")


def _slow(whole: Sum, baseline: Baseline) -> Iterator[Verdict]:
    """Compare the class with its own earlier runs."""
    found = class_slowness(_speeds(whole), baseline)
    if found is not None and found.slow:
        for node in whole.told:
            words = f"the whole class runs at {found.share:.0%} of {found.against}"
            yield verdict(
                node, CODE, "warning", words, expected=f"at least {found.least:.0%}", named=f"{CODE}-class"
            )


def _speeds(whole: Sum) -> list[Speeds]:
    """Return one speed for all: each node was told the same."""
    told = [(node, speed) for node, speed in whole.told.items() if isinstance(speed, float)]
    return [Speeds(node=node, rounds=(speed,)) for node, speed in told[:1]]
