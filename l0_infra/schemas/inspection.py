"""What is wrong with a node, in plain words."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Document, Part, Text, Time
from l0_infra.schemas.kernel_event import Severity

__all__ = ["Finding", "Inspection", "Undecided"]


class Finding(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that is not as it should be."""

    rule: Annotated[Text, Meta(description="The rule that was broken.")]
    severity: Annotated[Severity, Meta(description="How bad it is.")]
    subject: Annotated[Text, Meta(description="What it is about: `nvidia:3`, `mlx5_1/1`, `node`.")]
    what: Annotated[Text, Meta(description="What was looked at, in words.")]
    found: Annotated[Text, Meta(description="What was found.")]
    expected: Annotated[Text, Meta(description="What was expected.")]
    why: Annotated[Text, Meta(description="Why it matters for training.")]
    mend: Annotated[Text, Meta(description="How to mend it.")]
    source: Annotated[str, Meta(description="Where that is published.")] = ""


class Undecided(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule that could not be judged, and why."""

    rule: Annotated[Text, Meta(description="The rule.")]
    subject: Annotated[Text, Meta(description="What it is about.")]
    why: Annotated[Text, Meta(description="Which fact is not known, and why.")]


class Inspection(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="inspection"):
    """What the rules say of one node."""

    node: Annotated[Text, Meta(description="Its name.")]
    facts_at: Annotated[Time, Meta(description="When it was looked at, in seconds since the epoch.")]
    findings: Annotated[tuple[Finding, ...], Meta(description="What is wrong, worst first.")] = ()
    undecided: Annotated[tuple[Undecided, ...], Meta(description="What could not be judged.")] = ()
    passed: Annotated[tuple[str, ...], Meta(description="Rules that hold.")] = ()
