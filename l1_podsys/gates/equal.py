"""What the rules of one node and of a class say, as verdicts; and two nodes, of which neither is the odd one."""

from collections.abc import Iterator, Sequence

from l0_infra.schemas import Finding, Inspection, NodeFacts
from l1_podsys.gates.catalogue import SEVERITY_OF, Severity, verdict
from l1_podsys.gates.view import NodeView
from l1_podsys.gates.words import code_word
from l1_podsys.schemas import Verdict

__all__ = ["judge_inspection", "judge_pair"]

FEWEST = 3
ODD = "odd-"
JUDGED_HERE = frozenset(("clock-not-synchronised", "clock-off", "service-failed"))
"""Rules whose matter is looked at more closely here."""


def judge_inspection(inspection: Inspection, *, class_size: int) -> Iterator[Verdict]:
    """Turn findings into verdicts, each under the name of its rule; notices are left to `ogai node inspect`."""
    node = inspection.node
    findings = [
        found
        for found in inspection.findings
        if found.severity in SEVERITY_OF and found.rule not in JUDGED_HERE
    ]
    odd = [found for found in findings if found.rule.startswith(ODD)]
    own = [found for found in findings if not found.rule.startswith(ODD)]
    yield from (
        _of(node, found, "node.rules", f"node.{code_word(found.rule, empty='rule')}") for found in own
    )
    for found in odd:
        what = code_word(found.rule.removeprefix(ODD), empty="rule")
        yield _of(node, found, "class.equal", f"class.{what}")
    if not own:
        held = len(inspection.passed)
        severity: Severity = "ok" if held else "unknown"
        yield verdict(
            node, "node.rules", severity, f"{held} rules hold, {len(inspection.undecided)} undecided"
        )
    if not odd and class_size >= FEWEST:
        yield verdict(node, "class.equal", "ok", f"as its {class_size - 1} peers")


def _of(node: str, found: Finding, code: str, named: str) -> Verdict:
    where = "" if found.subject == "node" else f"{found.subject}: "
    return verdict(
        node,
        code,
        SEVERITY_OF[found.severity],
        f"{where}{found.found}",
        expected=found.expected,
        hint=found.mend,
        named=named,
    )


def judge_pair(views: Sequence[NodeView]) -> Iterator[Verdict]:
    """Compare two nodes of a class: where they differ both are told, for nobody can say which is odd."""
    if len(views) != 2:
        return
    first, second = views
    if first.facts is None or second.facts is None:
        return
    differ = [
        (what, one, other)
        for (what, one), (_, other) in zip(_essence(first.facts), _essence(second.facts), strict=True)
        if None not in (one, other) and one != other
    ]
    for view, peer, own in ((first, second, 0), (second, first, 1)):
        if not differ:
            yield verdict(view.name, "class.equal", "ok", f"as {peer.name}, the only other of its class")
        for what, *values in differ:
            words = f"{what} {values[own]}; {peer.name}: {values[1 - own]}"
            yield verdict(view.name, "class.equal", "warning", words)


def _essence(facts: NodeFacts) -> Iterator[tuple[str, object]]:
    total = facts.memory.total_bytes
    yield "processors", facts.cpu.model
    yield "logical CPUs", facts.cpu.threads
    yield "memory in GiB", None if total is None else round(total / 2**30)
    yield "accelerators", ", ".join(sorted(one.model or one.vendor for one in facts.accelerators)) or "none"
    yield "system", facts.os.name
    yield "kernel", facts.os.kernel
