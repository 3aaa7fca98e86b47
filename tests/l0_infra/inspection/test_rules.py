"""The rules that ship with ogai are sound: what they name exists, and each can be broken and kept."""

import re
import types
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct

from l0_infra.inspection import load_rules
from l0_infra.inspection.derived import Derived
from l0_infra.inspection.fields import PLACE
from l0_infra.schemas import NodeFacts, Rule

RULES = load_rules()
EVERY_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
NUMBERS = ("at_least", "at_most", "no_more_than")


def plain(hint: object) -> list[object]:
    """The types that a hint allows, without None and annotations."""
    if get_origin(hint) is Annotated:
        return plain(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return [one for part in get_args(hint) for one in plain(part)]
    if get_origin(hint) is Literal:
        return [str]
    return [] if hint is type(None) else [hint]


def field_type(start: object, path: str) -> object:
    """The type of a dotted field; lists on the way stand for their entries. Raises KeyError for what nothing has."""
    current = start
    for step in path.split("."):
        if get_origin(current) is tuple:
            (current,) = plain(get_args(current)[0])
        assert isinstance(current, type) and issubclass(current, Struct), f"{path}: {current} has no fields"
        (current,) = plain(get_type_hints(current, include_extras=True)[step])
    return current


def type_for(rule: Rule, field: str) -> object:
    if field.startswith("derived."):
        return field_type(Derived, field.removeprefix("derived."))
    if field.startswith("node_facts."):
        return field_type(NodeFacts, field.removeprefix("node_facts."))
    if field.startswith("owner."):
        assert rule.each is not None
        return field_type(
            field_type(NodeFacts, rule.each.rpartition(".")[0]), f"{field.removeprefix('owner.')}"
        )
    start = NodeFacts if rule.each is None else field_type(NodeFacts, rule.each)
    return field_type(start, field)


@EVERY_RULE
def test_every_field_exists_and_suits_its_operator(rule: Rule) -> None:
    for condition in (*rule.where, *rule.expect):
        kind = type_for(rule, condition.field)
        if any(getattr(condition, name) is not None for name in NUMBERS):
            assert kind in (int, float), f"{condition.field} is no number"
        if condition.is_true is not None:
            assert kind is bool, f"{condition.field} is not true or false"
        if condition.is_empty is not None:
            assert get_origin(kind) is tuple, f"{condition.field} is no list"
        for other in (condition.same_as, condition.no_more_than):
            assert other is None or type_for(rule, other) == kind
    assert rule.alike is None or type_for(rule, rule.alike)


@EVERY_RULE
def test_every_field_in_its_texts_exists(rule: Rule) -> None:
    for text in (rule.what, rule.found, rule.expected, rule.why, rule.mend, rule.source):
        for name in PLACE.findall(text):
            assert name in ("value", "usual") or type_for(rule, name)


@EVERY_RULE
def test_it_can_be_broken_and_fits_a_table(rule: Rule) -> None:
    assert rule.expect or rule.alike or rule.each, "it could never be broken"
    assert not re.search(r"[.:]$", rule.what + rule.expected), "it is put into a table, not a sentence"


def test_sources_are_addresses() -> None:
    assert all(not rule.source or rule.source.startswith(("https://", "{")) for rule in RULES)
