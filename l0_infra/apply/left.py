"""What of a plan is left to be done, given what the ledger says was done and what a look found; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from l0_infra.apply.keys import changes_between, parts_of
from l0_infra.apply.ledger import Entry
from l0_infra.core.errors import EngineError
from l0_infra.roles import UNTOLD, Item, Look, RoleSheet, fingerprint, items_of
from l0_infra.schemas import ApplyRole, Plan, Step

__all__ = ["Left", "judge_left", "things_of"]

MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Left:
    """Why each step that is left must be done, and what a look found of those that are done but were never seen."""

    reasons: Mapping[str, str] = field(default_factory=dict)
    adopted: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def things_of(plan: Plan, sheets: Mapping[str, RoleSheet]) -> Mapping[str, tuple[Item, ...]]:
    """List, by the ids of the steps, what each role of a plan leaves on its node.

    Raises EngineError for a role that there is no sheet of.
    """
    known: dict[tuple[str, int], tuple[Item, ...]] = {}
    things: dict[str, tuple[Item, ...]] = {}
    for step in plan.steps:
        if isinstance(action := step.action, ApplyRole):
            same = (action.role, id(action.variables))
            if same not in known:
                sheet = sheet_of(action.role, sheets)
                known[same] = items_of(sheet.role.outcome, {**sheet.defaults, **action.variables})
            things[step.id] = known[same]
    return things


def sheet_of(role: str, sheets: Mapping[str, RoleSheet]) -> RoleSheet:
    """Return a role's sheet; EngineError when there is none."""
    if role not in sheets:
        raise EngineError(f"role `{role}`", found="no folder of it", expected=f"one of {', '.join(sheets)}")
    return sheets[role]


def judge_left(
    plan: Plan,
    entries: Mapping[str, Entry],
    looks: Mapping[str, Look],
    sheets: Mapping[str, RoleSheet],
    things: Mapping[str, tuple[Item, ...]],
    *,
    full: bool = False,
) -> Left:
    """Say which steps must be done and why: those never done, changed, failed, ended midway, or no longer holding.

    `things` are what steps leave, by their ids (see `things_of`). A step that was done but never looked at since is
    taken for done when nothing of it is missing.
    """
    reasons: dict[str, str] = {}
    adopted: dict[str, Mapping[str, str]] = {}
    for step in plan.steps:
        entry, items = entries.get(step.id), things.get(step.id, ())
        reason = "asked for by --full" if full else _by_ledger(step, entry, sheets)
        look = looks.get(step.node)
        if not reason and entry is not None and look is not None and items:
            found = look.of(items)
            reason = _by_look(entry, look, items, found)
            if not reason and entry.mark is None:
                adopted[step.id] = found
        if reason:
            reasons[step.id] = reason
    return Left(reasons=reasons, adopted=adopted)


def _by_ledger(step: Step, entry: Entry | None, sheets: Mapping[str, RoleSheet]) -> str:
    if entry is None:
        return "never done"
    if entry.state == "failed":
        return "failed last time"
    if entry.state == "begun":
        return "was ended midway"
    if entry.key == step.key:
        return ""
    sha256 = sheets[step.action.role].sha256 if isinstance(step.action, ApplyRole) else ""
    changed = changes_between(entry.parts, parts_of(step, sha256))
    return f"changed: {_named(changed)}" if changed else "changed"


def _by_look(entry: Entry, look: Look, items: Iterable[Item], found: Mapping[str, str]) -> str:
    if faults := tuple(look.faults(items)):
        return f"does not hold: {_named(faults)}"
    if entry.mark is None or entry.mark == fingerprint(found):
        return ""
    before = entry.found_items()
    drifted = [name for name in sorted({*before, *found}) if _differ(before.get(name), found.get(name))]
    return f"drifted: {_named(drifted)}" if drifted else ""


def _differ(before: str | None, now: str | None) -> bool:
    return before != now and UNTOLD not in (before, now)


def _named(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more
