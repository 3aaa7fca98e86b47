"""What a node's own counters tell of the time it was worked hard: errors, heat, links that were lost."""

from collections.abc import Iterator, Mapping, Sequence

from l0_infra.core.units import format_count
from l0_infra.schemas import Accelerator, FabricPort, KernelEvent, NodeFacts
from l1_podsys.gates.catalogue import Severity, verdict
from l1_podsys.schemas import Verdict

__all__ = ["judge_meanwhile", "worst_of"]

SEVERITIES: Mapping[str, Severity] = {"fatal": "critical", "error": "critical", "warning": "warning"}
HOT_MARGIN_C = 3.0
ORDER: tuple[Severity, ...] = ("critical", "unknown", "warning", "ok")


def worst_of(rounds: Sequence[Sequence[Verdict]]) -> tuple[Verdict, ...]:
    """Keep of each check on each node the worst verdict of all rounds, the first of like ones."""
    worst: dict[tuple[str, str], Verdict] = {}
    for one in (one for verdicts in rounds for one in verdicts):
        held = worst.setdefault((one.node, one.check), one)
        if ORDER.index(one.severity) < ORDER.index(held.severity):
            worst[one.node, one.check] = one
    return tuple(worst.values())


def judge_meanwhile(node: str, before: NodeFacts, after: NodeFacts) -> Iterator[Verdict]:
    """Judge what came between two looks at a node; a node that was started anew meanwhile is critical itself."""
    if before.boot_id and after.boot_id and before.boot_id != after.boot_id:
        yield verdict(node, "burnin.boot", "critical", "it was started anew meanwhile")
        return
    yield verdict(node, "burnin.boot", "ok", "the same boot")
    if after.kernel_events is not None or after.os.container is None:  # a container has no log of its own
        yield _events(node, before, after)
    yield from _memory(node, before, after)
    if after.accelerators or before.accelerators:
        yield from _accelerators(node, before, after)
    if after.fabric:
        yield _links(node, before.fabric or (), after.fabric)


def _events(node: str, before: NodeFacts, after: NodeFacts) -> Verdict:
    if after.kernel_events is None:
        return verdict(node, "burnin.events", "unknown", "the kernel's log was not read")
    counted = {_key(one): one.count for one in before.kernel_events or ()}
    new = [
        one
        for one in after.kernel_events
        if one.severity in SEVERITIES and one.count > counted.get(_key(one), 0)
    ]
    if not new:
        return verdict(node, "burnin.events", "ok", "none that matters")
    worst = min(new, key=lambda one: list(SEVERITIES).index(one.severity))
    words = ", ".join(f"{one.name} of {one.device or 'the node'}" for one in new)
    hint = f"{worst.meaning} {worst.action}" + (f": {worst.advice}" if worst.advice else "")
    return verdict(node, "burnin.events", SEVERITIES[worst.severity], words, hint=hint)


def _key(event: KernelEvent) -> tuple[str, str | None]:
    return event.name, event.device


def _memory(node: str, before: NodeFacts, after: NodeFacts) -> Iterator[Verdict]:
    fatal = _grown(before.memory_errors.uncorrected, after.memory_errors.uncorrected)
    mended = _grown(before.memory_errors.corrected, after.memory_errors.corrected)
    if fatal is None and mended is None:
        return
    severity: Severity = "critical" if fatal else "warning" if mended else "ok"
    yield verdict(
        node, "burnin.memory", severity, f"{fatal or 0} uncorrected and {mended or 0} corrected errors"
    )


def _grown(before: int | None, after: int | None) -> int | None:
    """Return how far a counter went; one that was reset meanwhile counts from zero."""
    if after is None:
        return None
    return after if before is None or after < before else after - before


def _accelerators(node: str, before: NodeFacts, after: NodeFacts) -> Iterator[Verdict]:
    earlier = {one.id: one for one in before.accelerators}
    missing = sorted(earlier.keys() - {one.id for one in after.accelerators})
    if missing:
        yield verdict(node, "burnin.accelerators", "critical", f"{', '.join(missing)} went missing")
    else:
        count = format_count(len(after.accelerators), "accelerator")
        yield verdict(node, "burnin.accelerators", "ok", f"{count} as before")
    pairs = [(earlier.get(one.id), one) for one in after.accelerators]
    yield _ecc(node, pairs)
    yield _heat(node, after.accelerators)


def _ecc(node: str, pairs: Sequence[tuple[Accelerator | None, Accelerator]]) -> Verdict:
    fatal = {one.id: count for earlier, one in pairs if (count := _errors(earlier, one, corrected=False))}
    mended = {one.id: count for earlier, one in pairs if (count := _errors(earlier, one, corrected=True))}
    if fatal:
        return verdict(node, "burnin.ecc", "critical", f"uncorrected errors of {_counts(fatal)}")
    if mended:
        return verdict(node, "burnin.ecc", "warning", f"corrected errors of {_counts(mended)}")
    if all(one.ecc is None for _, one in pairs):
        return verdict(node, "burnin.ecc", "ok", "no accelerator counts errors")
    return verdict(node, "burnin.ecc", "ok", "no new error")


def _errors(before: Accelerator | None, after: Accelerator, *, corrected: bool) -> int | None:
    name = "corrected_volatile" if corrected else "uncorrected_volatile"
    earlier = None if before is None or before.ecc is None else getattr(before.ecc, name)
    return _grown(earlier, None if after.ecc is None else getattr(after.ecc, name))


def _counts(errors: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in errors.items())


def _heat(node: str, accelerators: Sequence[Accelerator]) -> Verdict:
    told = [(one.id, one.condition) for one in accelerators if one.condition is not None]
    known = [(name, how) for name, how in told if how.temperature_c is not None]
    if not known:
        return verdict(node, "burnin.heat", "unknown", "no accelerator tells its temperature")
    near = [
        (name, how)
        for name, how in known
        if how.temperature_margin_c is not None and how.temperature_margin_c < HOT_MARGIN_C
    ]
    words = ", ".join(f"{name} {how.temperature_c:.0f} °C" for name, how in near or known)
    return verdict(node, "burnin.heat", "warning" if near else "ok", words)


def _links(node: str, before: Sequence[FabricPort], after: Sequence[FabricPort]) -> Verdict:
    earlier = {(one.device, one.port): one for one in before}
    grown = []
    for port in after:
        counters = {one.name: one.value for one in port.counters or ()}
        old = earlier.get((port.device, port.port))
        known = {one.name: one.value for one in (old.counters if old else None) or ()}
        downs = _grown(known.get("link_downed", 0), counters.get("link_downed", 0))
        if downs or (old is not None and old.state == "active" and port.state != "active"):
            grown.append(f"{port.device}/{port.port}")
    if grown:
        return verdict(node, "burnin.links", "critical", f"{', '.join(grown)} lost the link")
    return verdict(node, "burnin.links", "ok", format_count(len(after), "port"))
