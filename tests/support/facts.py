"""Answers of a node's sources, for tests that give a few and leave the others out."""

from collections.abc import Mapping

from l0_infra.facts.bundle import ABSENT, Answer, Answers
from l0_infra.facts.probe import SOURCES, parse_node
from l0_infra.schemas import NodeFacts

__all__ = ["answers", "facts_of", "said"]


def said(out: str, err: str = "", code: int = 0) -> Answer:
    """What a program printed that ended by itself."""
    return Answer(end="exit", code=code, out=out, err=err)


def answers(given: Mapping[str, str | Answer]) -> Answers:
    """An answer for every source; those not given are of programs that are not installed."""
    told = {name: said(one) if isinstance(one, str) else one for name, one in given.items()}
    unknown = told.keys() - {source.name for source in SOURCES}
    assert not unknown, f"no such sources: {unknown}"
    return {source.name: ABSENT for source in SOURCES} | told


def facts_of(given: Mapping[str, str | Answer]) -> NodeFacts:
    """The facts of a node whose sources said this."""
    return parse_node(answers(given), now=7.5)
