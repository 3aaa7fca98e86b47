"""Ask a node for everything, to be kept; and read the facts of a node from what was kept."""

from dataclasses import replace

import msgspec

from l0_infra.core.exec import Runner
from l0_infra.evidence.said import NodeEvidence
from l0_infra.facts.ask import ask
from l0_infra.facts.probe import SOURCES, parse_node
from l0_infra.schemas import NodeFacts

__all__ = ["facts_of", "probe_evidence"]

MOST_BYTES = 50_000_000
"""What is kept of one source; a kernel's log is the longest."""


def probe_evidence(
    runner: Runner, name: str, now: float, *, limit_s: int = 30, sudo: bool = False
) -> NodeEvidence:
    """Ask a node for all that its sources say, logs whole; raises RemoteError when it cannot be reached."""
    sources = tuple(replace(source, command=source.whole or source.command) for source in SOURCES)
    answers = ask(runner, sources, limit_s, sudo=sudo, most_bytes=MOST_BYTES)
    return NodeEvidence(name=name, probed_at=now, answers=answers, files={})


def facts_of(evidence: NodeEvidence) -> NodeFacts:
    """Read the facts of a node from what it said."""
    facts = parse_node(evidence.answers, evidence.probed_at)
    return msgspec.structs.replace(facts, node=evidence.name)
