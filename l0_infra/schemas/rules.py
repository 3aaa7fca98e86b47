"""Rules that say what a node should be like, as data."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Document, Name, Part, Text, repeated
from l0_infra.core.errors import Fault
from l0_infra.schemas.kernel_event import Severity

__all__ = ["Expectation", "NodeRules", "Rule"]

FieldName = Annotated[str, Meta(pattern=r"^[a-z_]+(\.[a-z_]+)*$")]
"""A field of `node_facts`, or of one entry of a list of it: `ecc.enabled`."""

OPERATORS = (
    "equals",
    "one_of",
    "none_of",
    "is_true",
    "is_empty",
    "at_least",
    "at_most",
    "same_as",
    "no_more_than",
)


class Expectation(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one field must be; exactly one operator is given."""

    field: Annotated[FieldName, Meta(description="The field.", examples=["ecc.enabled"])]
    equals: Annotated[str | None, Meta(description="It is this, as text; case does not count.")] = None
    one_of: Annotated[tuple[Text, ...] | None, Meta(description="It is one of these, as text.")] = None
    none_of: Annotated[
        tuple[Text, ...] | None, Meta(description="It is none of these; of a list, no entry is.")
    ] = None
    is_true: Annotated[bool | None, Meta(description="It is true, or false.", examples=[True])] = None
    is_empty: Annotated[bool | None, Meta(description="It is a list without entries, or with some.")] = None
    at_least: Annotated[float | None, Meta(description="It is a number no lower.")] = None
    at_most: Annotated[float | None, Meta(description="It is a number no higher.")] = None
    same_as: Annotated[FieldName | None, Meta(description="It is what this field is.")] = None
    no_more_than: Annotated[
        FieldName | None, Meta(description="It is a number no higher than this field.")
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a count of operators other than one."""
        given = [name for name in OPERATORS if getattr(self, name) is not None]
        if len(given) != 1:
            yield Fault(
                path=(),
                found=f"the operators {', '.join(given)}" if given else "no operator",
                expected=f"exactly one of {', '.join(OPERATORS)}",
            )


class Rule(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule: what is looked at, what is expected, why it matters and how to mend it.

    Fields are those of the entry; `node_facts.` before one makes it a field of the node. Texts may name fields in
    braces: `{id}`, `{clocks.held_back_by}`; `{value}` is what was found in the field that is not as expected.
    """

    id: Annotated[Name, Meta(description="Its name.", examples=["gpu-ecc-off"])]
    severity: Annotated[Severity, Meta(description="How bad it is when broken.", examples=["warning"])]
    each: Annotated[
        FieldName | None,
        Meta(description="List of `node_facts` whose entries are judged one by one; null: the node is."),
    ] = None
    where: Annotated[
        tuple[Expectation, ...], Meta(description="What must hold for the rule to apply; all of them.")
    ] = ()
    expect: Annotated[
        tuple[Expectation, ...],
        Meta(description="What must hold; all of them. None: that there is such an entry is the fault."),
    ] = ()
    alike: Annotated[
        FieldName | None,
        Meta(description="Field that must be alike among entries or nodes, instead of `expect`; null: none."),
    ] = None
    among: Annotated[
        Literal["node", "class"],
        Meta(description="Among what `alike` is meant: the entries of one node, or the nodes of a class."),
    ] = "node"
    what: Annotated[Text, Meta(description="What is looked at.", examples=["ECC of {id}"])]
    expected: Annotated[Text, Meta(description="What is expected.", examples=["on"])]
    why: Annotated[Text, Meta(description="Why it matters for training.")]
    mend: Annotated[Text, Meta(description="How to mend it.")]
    found: Annotated[Text, Meta(description="What is said to be found when it is broken.")] = "{value}"
    source: Annotated[str, Meta(description="Where that is published; empty: nowhere.")] = ""

    def faults(self) -> Iterator[Fault]:
        """Yield `alike` beside `expect`."""
        if self.alike is not None and self.expect:
            yield Fault(path=("alike",), found="`expect` beside it", expected="one of the two")


class NodeRules(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="node_rules"):
    """Rules that say what a node should be like."""

    rules: Annotated[tuple[Rule, ...], Meta(description="The rules, in any order.")]

    def faults(self) -> Iterator[Fault]:
        """Yield ids that are given twice."""
        yield from repeated("rules", "id", [rule.id for rule in self.rules])
