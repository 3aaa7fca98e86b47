"""What bringing a cluster up would do, role by role, before anybody agrees to it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from l0_infra.core.nodeset import fold
from l0_infra.core.units import format_count
from l0_infra.schemas import Step
from ogai.flows.cluster import Prepared
from ogai.render.alike import fold_alike
from ogai.render.cluster.switches import switch_lines

__all__ = ["plan_text"]

MOST_REASONS = 3
MOST_LOST = 20


def plan_text(prepared: Prepared) -> str:
    """Write the plan: each role with the nodes that get it and why, and what is passed over."""
    return "\n".join(_lines(prepared))


def _lines(prepared: Prepared) -> Iterator[str]:
    left = [step for step in prepared.steps_left if step.node not in prepared.lost]
    unseen = len(prepared.steps_left) - len(left)
    nodes, steps = format_count(len(prepared.names), "node"), format_count(len(left), "step")
    held = len(prepared.plan.steps) - len(left) - unseen
    told = f"{prepared.plan.title}: {nodes}, {steps} to do, {held} hold already"
    yield f"{told}, of {unseen} nothing is known" if unseen else told
    if prepared.adopted:
        number = prepared.identity
        yield f"  the hosts belong to a cluster of this name (id {number}) that is not known here: it is taken on"
    yield from (f"  {line}" for line in prepared.parted)
    if prepared.sighted.found is not None:
        yield from switch_lines(prepared.sighted.found)
    lost = fold_alike(prepared.lost)
    for names, why in list(lost.items())[:MOST_LOST]:
        yield f"  {names} cannot be looked at: {why}"
    if len(lost) > MOST_LOST:
        yield f"  … and {len(lost) - MOST_LOST} more"
    rows = list(_rows(left, prepared.left.reasons))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    for row in rows:
        yield "  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def _rows(left: Sequence[Step], reasons: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    by_name: dict[str, list[Step]] = {}
    for step in left:
        by_name.setdefault(step.id.partition(":")[2], []).append(step)
    for name, steps in by_name.items():
        counts = Counter(reasons[step.id] for step in steps)
        told = [f"{why}{f' ({n})' if len(counts) > 1 else ''}" for why, n in counts.most_common(MOST_REASONS)]
        more = len(counts) - MOST_REASONS
        yield (
            name,
            fold(step.node for step in steps),
            "; ".join([*told, *([f"{more} more"] if more > 0 else [])]),
        )
