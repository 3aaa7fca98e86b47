"""Verdicts on a cluster's nodes: what was checked, what was found, how it is mended."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Document, Part, Text

__all__ = ["DrainChange", "Health", "Verdict"]


class Verdict(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The outcome of one check on one node."""

    node: Annotated[Text, Meta(description="Node name.")]
    check: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$", description="Code of the check: `gpu.ecc`, `time.offset`."
        ),
    ]
    severity: Annotated[
        Literal["ok", "warning", "critical", "unknown"],
        Meta(description="`critical`: no jobs should start there; `unknown`: the check could not be made."),
    ]
    found: Annotated[str, Meta(description="What was found.")]
    expected: Annotated[str, Meta(description="What is right.")]
    hint: Annotated[str, Meta(description="How to mend it.")] = ""


class DrainChange(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a check did about a node that should take no work, or left alone."""

    node: Annotated[Text, Meta(description="Node name.")]
    change: Annotated[
        Literal["drained", "undrained", "kept"],
        Meta(description="`drained`: taken out of work; `undrained`: given back; `kept`: drained as before."),
    ]
    owner: Annotated[Text, Meta(description="Whose drain it is: `gate` for the checks, else who set it.")]
    reason: Annotated[str, Meta(description="Why.")] = ""


class Health(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="health"):
    """One round of checks on a cluster."""

    cluster: Annotated[Text, Meta(description="Cluster name.")]
    level: Annotated[
        Literal["quick", "medium", "burnin"],
        Meta(description="How deep it looked: seconds, minutes, hours."),
    ]
    checked_at: Annotated[float, Meta(description="When it began, in seconds since the epoch, UTC.")]
    verdicts: Annotated[
        tuple[Verdict, ...], Meta(description="Verdicts, in natural order of the nodes.")
    ] = ()
    drains: Annotated[
        tuple[DrainChange, ...], Meta(description="Nodes taken out of work, given back, or left out of it.")
    ] = ()
    breaker: Annotated[
        str,
        Meta(description="Why no node was drained although some should be; empty when it was not needed."),
    ] = ""
