"""How nodes were brought up: what roles took, where they failed, and the last runs."""

from collections.abc import Iterator, Sequence
from statistics import median

from l0_infra import Entry, RunRecord
from l0_infra.core.nodeset import fold
from ogai.flows.cluster import ClusterReport
from ogai.render.cluster.report.names import wrapped
from ogai.render.moment import brief, local_time
from ogai.render.report import Bar, BarPart, Block, Cell, Column, Prose, Row, Table, series_tone
from ogai.render.shortened import shortened

__all__ = ["bringup_blocks"]

LONGEST = 300
MOST_PARTS = 8


def bringup_blocks(report: ClusterReport) -> Iterator[Block]:
    """Show roles with their times, what failed, and the last runs."""
    if not report.entries:
        yield Prose(text="Nothing was done from here: ogai cluster up FILE")
        return
    by_role: dict[str, list[Entry]] = {}
    for entry in sorted(report.entries, key=lambda one: one.at):
        by_role.setdefault(entry.name, []).append(entry)
    yield _shares(by_role)
    yield Table(
        columns=(
            *(Column(title="role", style="word"), Column(title="nodes", style="number")),
            *(Column(title="median", style="number"), Column(title="longest", style="number")),
            Column(title="left"),
        ),
        rows=tuple(_role(name, entries) for name, entries in by_role.items()),
    )
    if report.runs:
        yield _runs(report.runs, report.at)


def _shares(by_role: dict[str, list[Entry]]) -> Bar:
    """Show which roles took most of the time of a node, by their medians."""
    times = {name: median(entry.seconds for entry in entries) for name, entries in by_role.items()}
    whole = sum(times.values()) or 1.0
    longest = sorted(times, key=lambda name: -times[name])[:MOST_PARTS]
    parts = [
        BarPart(name=name, share=times[name] / whole, tone=series_tone(index), label=brief(times[name]))
        for index, name in enumerate(longest)
    ]
    rest = sum(seconds for name, seconds in times.items() if name not in longest)
    if rest > 0:
        parts.append(BarPart(name="others", share=rest / whole, tone="faint", label=brief(rest)))
    told = ", ".join(f"{name} {brief(times[name])}" for name in longest[:3] if times[name] > 0)
    return Bar(title="Time by role, medians over nodes", parts=tuple(parts), ends=(f"longest: {told}", ""))


def _role(name: str, entries: Sequence[Entry]) -> Row:
    slowest = max(entries, key=lambda entry: entry.seconds)
    bad = [entry for entry in entries if entry.state != "done"]
    left = Cell(text="all done")
    if bad:
        why = bad[0].message.strip().partition("\n")[0] or "was ended midway"
        nodes = wrapped(fold(entry.node for entry in bad))
        left = Cell(text=nodes, tone="bad", note=shortened(why, LONGEST))
    return Row(
        cells=(
            Cell(text=name),
            Cell(text=f"{len(entries):,}"),
            Cell(text=brief(median(entry.seconds for entry in entries))),
            Cell(text=brief(slowest.seconds), note=slowest.node if len(entries) > 1 else ""),
            left,
        )
    )


def _runs(runs: Sequence[RunRecord], now: float) -> Table:
    return Table(
        columns=(
            *(Column(title="began", style="word"), Column(title="run", style="word")),
            *(Column(title="took", style="number"), Column(title="ended"), Column(title="log", style="code")),
        ),
        rows=tuple(
            Row(
                cells=(
                    Cell(text=local_time(run.began_at, now)),
                    Cell(text=run.what),
                    Cell(text="" if run.ended_at is None else brief(run.ended_at - run.began_at)),
                    Cell(
                        text=run.outcome or "still at work, or killed",
                        tone={"done": "good", "failed": "bad"}.get(run.outcome, "muted"),  # type: ignore[arg-type]
                    ),
                    Cell(text=f"runs/{run.id}"),
                )
            )
            for run in runs
        ),
    )
