"""`ogai job top`: one screen of the machine and its jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from l0_infra.core.errors import printable
from l0_infra.core.units import format_bytes
from l1_podsys.schemas import NodeState
from ogai.flows.job.watch import Running, Scene, Waiting
from ogai.render.job.fold import fold_ids
from ogai.render.moment import brief, clock, stopwatch

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

__all__ = ["frame"]

BAR = 10
WIDE = 110
NAME_AT_MOST = 20


def frame(scene: Scene, *, width: int, height: int | None) -> RenderableType:
    """Draw a scene for a terminal of this size; without `height` nothing is left out."""
    from rich.console import Group
    from rich.text import Text

    head = list(header(scene, width))
    room = None if height is None else max(2, height - len(head) - 6)
    running_room = None if room is None else max(1, room - min(len(scene.waiting), room // 2))
    shown = scene.running[:running_room]
    waiting_room = None if room is None else max(1, room - len(shown))
    parts: list[RenderableType] = [*head, Text("")]
    parts += [running_table(shown, scene.now, width), *rest(len(scene.running) - len(shown), "running")]
    if scene.waiting:
        groups = grouped(scene.waiting)
        parts += [Text(""), waiting_table(groups[:waiting_room], scene.now)]
        parts += rest(len(groups) - len(groups[:waiting_room]), "waiting")
    return Group(*parts)


def header(scene: Scene, width: int) -> Iterator[Text]:
    """Say what the machine has and how much of it is taken."""
    from rich.text import Text

    title = Text.assemble(
        ("ogai job top", "bold"),
        f"  {clock(scene.now)}  {len(scene.running)} running, {len(scene.waiting)} waiting",
    )
    yield title
    for node in scene.cluster.nodes:
        held = [share for job in scene.running for share in job.status.allocation if share.node == node.name]
        cpus = sum(share.cpus for share in held) + node.foreign_cpus
        memory = sum(share.memory_bytes for share in held) + node.foreign_memory_bytes
        yield Text.assemble(
            "CPUs    ", gauge(cpus, node.cpus), f" {cpus}/{node.cpus} in slots, load {scene.load:.1f}"
        )
        used = f"{format_bytes(scene.memory_used_bytes)} of {format_bytes(node.memory_bytes)} used"
        promised = f", {format_bytes(memory)} promised" if memory else ""
        yield Text.assemble(
            "Memory  ", gauge(scene.memory_used_bytes, node.memory_bytes), f" {used}{promised}"
        )
        yield from devices(node, scene.running, width)


def devices(node: NodeState, running: Iterable[Running], width: int) -> Iterator[Text]:
    """Say who holds each accelerator."""
    from rich.text import Text

    holders = {
        accelerator: f"job {job.status.job_id} ({job.status.job.name})"
        for job in running
        for share in job.status.allocation
        for accelerator in share.accelerators
    }
    for accelerator in node.accelerators:
        holder = holders.get(accelerator.id) or accelerator.busy
        line = Text.assemble(
            (f"{accelerator.id:<10}", ""),
            (holder or "free", "" if holder else "green"),
            (f"  {accelerator.model}", "dim"),
        )
        line.truncate(width, overflow="ellipsis")
        yield line


def running_table(running: Sequence[Running], now: float, width: int) -> RenderableType:
    """Draw the running jobs."""
    from rich.text import Text

    if not running:
        return Text("nothing runs", style="dim")
    table = plain_table(expand=width >= WIDE)
    table.add_column("ID", no_wrap=True)
    table.add_column("RUNNING", no_wrap=True, overflow="ellipsis", max_width=NAME_AT_MOST)
    for title in ("CPU%", "MEM", "TIME"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("LIMIT", no_wrap=True)
    if width >= WIDE:
        table.add_column("COMMAND", no_wrap=True, overflow="ellipsis", ratio=1)
    for job in running:
        table.add_row(*running_cells(job, now)[: len(table.columns)])
    return table


def running_cells(job: Running, now: float) -> list[RenderableType]:
    from rich.text import Text

    status, usage = job.status, job.usage
    elapsed_s = now - (status.started_at or now)
    share = "-" if job.cpu_share is None else f"{100 * job.cpu_share:.0f}"
    memory = "-" if usage is None else format_bytes(usage.memory_bytes)
    limit_s = status.job.limits.time_s
    limit = Text("none", style="dim")
    if limit_s is not None:
        limit = Text.assemble(gauge(elapsed_s, limit_s), f" {stopwatch(limit_s)}")
    command = printable(" ".join(status.job.command))
    name = Text(
        status.job.name if status.state == "RUNNING" else f"{status.job.name} ({status.state.lower()})"
    )
    cells = [Text(status.job_id), name, Text(share), Text(memory), Text(stopwatch(elapsed_s)), limit]
    return [*cells, Text(command, style="dim")]


def waiting_table(groups: Sequence[Sequence[Waiting]], now: float) -> RenderableType:
    """Draw the waiting jobs, each with the first thing it waits for."""
    from rich.text import Text

    table = plain_table(expand=True)
    table.add_column("ID", no_wrap=True, overflow="ellipsis", max_width=NAME_AT_MOST)
    table.add_column("WAITING", no_wrap=True, overflow="ellipsis", max_width=NAME_AT_MOST)
    table.add_column("SINCE", justify="right", no_wrap=True)
    table.add_column("WHAT FOR", no_wrap=True, overflow="ellipsis", ratio=1)
    for group in groups:
        first = group[0].status
        ids = fold_ids([job.status for job in group])
        since = stopwatch(now - first.submitted_at)
        table.add_row(Text(ids), Text(first.job.name), Text(since), Text(describe_obstacle(group[0], now)))
    return table


def grouped(waiting: Iterable[Waiting]) -> list[list[Waiting]]:
    """Put the elements of an array that wait for the same together."""

    def same(job: Waiting) -> tuple[str, str]:
        return job.status.submission, job.blocker.code if job.blocker else ""

    return [list(group) for _, group in groupby(waiting, key=same)]


def describe_obstacle(job: Waiting, now: float) -> str:
    """Say in a few words what a job waits for."""
    blocker = job.blocker
    if blocker is None:
        return "starts next"
    if blocker.code == "held":
        return job.status.reason or "held"
    if blocker.code == "reserved_for_earlier_job" and blocker.jobs:
        return f"behind job {blocker.jobs[0]}"
    if blocker.code == "dependency":
        return f"after job {', '.join(item.job for item in job.status.job.depends_on)}"
    if blocker.code == "backoff" and job.status.not_before is not None:
        return f"in {brief(job.status.not_before - now)}: {job.status.reason}"
    return blocker.expected if blocker.code == "resources" else blocker.found


def plain_table(*, expand: bool) -> Table:
    from rich.table import Table

    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=expand)


def rest(count: int, what: str) -> Iterator[Text]:
    """Say how many did not fit."""
    from rich.text import Text

    if count > 0:
        yield Text(f"… and {count} more {what}", style="dim")


def gauge(part: float, whole: float) -> Text:
    """Draw how much of something is used: green, yellow from three quarters, red when it is all."""
    from rich.text import Text

    share = min(1.0, part / whole) if whole > 0 else 0.0
    full = round(share * BAR)
    colour = "red" if share >= 0.95 else "yellow" if share >= 0.75 else "green"
    return Text.assemble(("█" * full, colour), ("░" * (BAR - full), "dim"))
