"""The whole report of a cluster."""

from collections import Counter
from collections.abc import Iterator
from time import localtime, strftime

from l1_podsys import cluster_members
from ogai.flows.cluster import ClusterReport
from ogai.render.cluster.report.bringup import bringup_blocks
from ogai.render.cluster.report.drift import drift_blocks
from ogai.render.cluster.report.heat import heat_blocks
from ogai.render.cluster.report.made_of import node_blocks, version_blocks
from ogai.render.cluster.report.speeds import speed_blocks
from ogai.render.cluster.report.wrong import wrong_blocks
from ogai.render.moment import ago, brief
from ogai.render.report import Fact, Page, Section, Status
from ogai.version import __version__

__all__ = ["report_page"]

ENGINES = {"slurm": "Slurm", "local": "the local engine"}


def report_page(report: ClusterReport) -> Page:
    """Compose the report."""
    return Page(
        kicker="Cluster",
        title=report.cluster.name,
        status=_status(report),
        lead=_lead(report),
        facts=tuple(_facts(report)),
        sections=tuple(_sections(report)),
        foot=f"Made by ogai {__version__} on {strftime('%Y-%m-%d at %H:%M', localtime(report.at))}.",
    )


def _sections(report: ClusterReport) -> Iterator[Section]:
    yield Section(title="Nodes × checks", blocks=tuple(heat_blocks(report)))
    if wrong := tuple(wrong_blocks(report)):
        yield Section(title="What is wrong", note="and how to mend it", blocks=wrong)
    yield Section(title="Bring-up", note="as the last runs left it", blocks=tuple(bringup_blocks(report)))
    if speeds := tuple(speed_blocks(report)):
        yield Section(title="Speeds", note="of earlier clean checks, by class", blocks=speeds)
    if versions := tuple(version_blocks(report)):
        yield Section(title="Versions", note="of packages that roles installed", blocks=versions)
    yield Section(title="Drift", blocks=tuple(drift_blocks(report)))
    yield Section(title="Nodes", blocks=tuple(node_blocks(report)))


def _status(report: ClusterReport) -> Status:
    worst = report.health.worst()
    found = [worst.get(name, "not checked") for name in cluster_members(report.cluster)]
    if any(entry.state != "done" for entry in report.entries):
        return Status(word="not all brought up", tone="bad")
    if "critical" in found:
        return Status(word="unfit nodes", tone="bad")
    if "not checked" in found:
        return Status(word="not all checked", tone="muted")
    if "unknown" in found:
        return Status(word="not all known", tone="warn")
    return Status(word="fit for work", tone="good")


def _lead(report: ClusterReport) -> str:
    cluster = report.cluster
    classes = {group.node_class for group in cluster.nodes}
    count = len(cluster_members(cluster))
    text = f"{count:,} node{'s' * (count != 1)} of {len(classes)} class{'es' * (len(classes) != 1)} under "
    text += f"{ENGINES[cluster.scheduler.engine]}, led by {report.controller}."
    looked = report.health.looked_at.values()
    if not looked:
        return f"{text} Never checked."
    before = ", before the last run" if report.runs and report.runs[0].began_at > max(looked) else ""
    return f"{text} Last checked {ago(report.at - max(looked))}{before}."


def _facts(report: ClusterReport) -> Iterator[Fact]:
    members = cluster_members(report.cluster)
    known = report.health.worst()
    worst = Counter(known.get(name, "not checked") for name in members)
    yield Fact(name="Nodes", value=f"{len(members):,}", note=f"{_compute(report):,} compute")
    fit = worst["ok"] + worst["warning"]
    yield Fact(name="Fit for work", value=f"{fit:,}", note=f"{worst['warning']:,} with warnings")
    yield Fact(name="Unfit", value=f"{worst['critical']:,}", note="a critical verdict")
    yield Fact(
        name="Not known",
        value=f"{worst['unknown'] + worst['not checked']:,}",
        note="a check is missing, or all",
    )
    if report.state is not None:
        states = Counter(node.state for node in report.state.nodes)
        yield Fact(name="Takes work", value=f"{states['idle']:,}", note=f"{states['drained']:,} drained")
    if report.runs:
        run = report.runs[0]
        took = "not ended" if run.ended_at is None else f"{run.what}, {run.outcome}"
        value = "-" if run.ended_at is None else brief(run.ended_at - run.began_at)
        yield Fact(name="Last run", value=value, note=took)


def _compute(report: ClusterReport) -> int:
    return sum("compute" in member.places for member in cluster_members(report.cluster).values())
