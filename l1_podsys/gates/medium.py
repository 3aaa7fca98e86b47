"""What bursts on the nodes of a class show: who is slower than its peers, and the class than itself before."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from l0_infra.core.units import format_bytes
from l1_podsys.gates.catalogue import Severity, verdict
from l1_podsys.gates.speed import Baseline, Slowness, Speeds, class_slowness, compare_speeds
from l1_podsys.gates.words import code_word
from l1_podsys.schemas import Verdict

__all__ = ["describe_rate", "judge_speeds", "measure_code"]

CRITICAL_SHARE = 0.8
CRITICAL_SHARED_SHARE = 0.3
CODES = {
    **{"cpu": "cpu.speed", "memory": "memory.bandwidth", "matrix": "matrix.speed"},
    **{"network": "network.speed", "collective": "collective.speed"},
}
SHARED = frozenset({"network.speed", "storage.speed"})
"""What nodes have in common with others, and that is never quite still."""
HELD_LITTLE = 0.85
HELD_TOO_LITTLE = 0.25


def measure_code(measure: str) -> tuple[str, str]:
    """Return the check that a measure belongs to, and the code under which it is told: `write /shared`."""
    what, _, mountpoint = measure.partition(" ")
    if what in CODES:
        return CODES[what], CODES[what]
    return "storage.speed", f"storage.{code_word(mountpoint, empty='root')}-{what}"


def judge_speeds(
    measure: str, speeds: Sequence[Speeds], baseline: Baseline, held: Mapping[str, float] | None = None
) -> Iterator[Verdict]:
    """Judge the nodes of one class by one measure; `held` are the shares of CPU time they had in their best burst."""
    code, named = measure_code(measure)
    found = compare_speeds(speeds, baseline)
    measured = [one for one in speeds if one.rounds]
    for one in measured:
        words = describe_rate(measure, one.best)
        slowness = found.get(one.node)
        if slowness is None:
            yield from _alone(code, named, one, measured, words)
        elif slowness.slow:
            yield _slow(code, named, one, slowness, words, (held or {}).get(one.node))
        elif _drowned(held or {}):
            yield _untold(code, named, one, words, (held or {}).get(one.node))
        else:
            words = f"{words}, {slowness.share:.0%} of {slowness.against}"
            yield verdict(one.node, code, "ok", words, named=named)
    whole = class_slowness(speeds, baseline)
    if whole is not None and whole.slow and len(measured) > 1 and not _disturbed(measure, held or {}):
        words = f"the whole class runs at {whole.share:.0%} of {whole.against}"
        for one in measured:
            yield verdict(one.node, code, "warning", words, named=f"{named}-class")


def _drowned(held: Mapping[str, float]) -> bool:
    """Tell whether other work left so little of the processors that a slow node could not be told from the others."""
    return bool(held) and median(held.values()) < HELD_TOO_LITTLE


def _untold(code: str, named: str, one: Speeds, words: str, held: float | None) -> Verdict:
    share = "little" if held is None else f"{held:.0%}"
    words = f"{words}, with {share} of the processors: other work hides who is slow"
    hint = "measure when the nodes are idle; virtual ones share a machine with others: is that one idle?"
    return verdict(
        one.node, code, "unknown", words, expected="processors that are free", hint=hint, named=named
    )


def _disturbed(measure: str, held: Mapping[str, float]) -> bool:
    """Tell whether other work explains why a whole class is slow: what is shared always has some."""
    return measure_code(measure)[0] in SHARED or (bool(held) and median(held.values()) < HELD_LITTLE)


def _slow(code: str, named: str, one: Speeds, slowness: Slowness, words: str, held: float | None) -> Verdict:
    least = CRITICAL_SHARED_SHARE if code in SHARED else CRITICAL_SHARE
    severity: Severity = "critical" if slowness.share < least else "warning"
    words = f"{words}, {slowness.share:.0%} of {slowness.against}"
    hint = ""
    if held is not None and held < HELD_LITTLE:
        words += f"; it had its processors {held:.0%} of the time"
        hint = (
            "something holds it back: a CPU quota (systemctl show -p CPUQuotaPerSecUSec), or other work on it"
        )
    return verdict(
        one.node, code, severity, words, expected=f"at least {slowness.least:.0%}", hint=hint, named=named
    )


def _alone(code: str, named: str, one: Speeds, measured: Sequence[Speeds], words: str) -> Iterator[Verdict]:
    """Say what can be said of fewer than three nodes without a baseline: two may agree, one has no measure."""
    bests = [each.best for each in measured]
    if len(bests) == 2 and min(bests) >= CRITICAL_SHARE * max(bests):
        yield verdict(one.node, code, "ok", f"{words}; the two of its class agree", named=named)
        return
    others = ", ".join(
        f"{each.node} has {each.best / one.best:.2f} times that" for each in measured if each is not one
    )
    yield verdict(
        one.node,
        code,
        "unknown",
        f"{words}: too few to compare" + (f"; {others}" if others else ""),
        expected="three nodes of a class, or a clean run before",
        hint="run the check again when the node is known to be well: a clean run is kept to compare with"
        if not others
        else "one of the two is slow, and which only a third node or a clean run before could tell",
        named=named,
    )


def describe_rate(measure: str, value: float) -> str:
    """Write a speed with its unit."""
    if measure == "cpu":
        return f"{value / 1e9:.3g} billion loops/s" if value >= 1e9 else f"{value / 1e6:.3g} million loops/s"
    if measure == "matrix":
        return f"{value / 1e12:.3g} Tflop/s" if value >= 1e12 else f"{value / 1e9:.3g} Gflop/s"
    return f"{format_bytes(round(value))}/s"
